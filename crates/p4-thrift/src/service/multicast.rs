//! The service `simple_pre_lag`: multicast groups and their nodes. Link aggregation groups are not supported.

use jettison_p4_v1model::control::{Command, CommandError};
use jettison_switch::Port;
use serde_json::json;

use super::Returned;
use super::context::{Context, done};
use crate::arguments::Arguments;
use crate::fault::{Fault, MulticastError};

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "bm_mc_mgrp_create" => create_group(context),
        "bm_mc_mgrp_destroy" => {
            execute(context, |group, _| Command::GroupDestroy { group: group as u16 }, Numbers::Group)
        }
        "bm_mc_node_create" => create_node(context),
        "bm_mc_node_update" => update_node(context),
        "bm_mc_node_destroy" => execute(context, |node, _| Command::NodeDestroy { node }, Numbers::Node),
        "bm_mc_node_associate" => execute(
            context,
            |group, node| Command::NodeAssociate { group: group as u16, node },
            Numbers::Both,
        ),
        "bm_mc_node_dissociate" => execute(
            context,
            |group, node| Command::NodeDissociate { group: group as u16, node },
            Numbers::Both,
        ),
        "bm_mc_get_entries" => Ok(Some(entries(context).into())),
        "bm_mc_set_lag_membership" => Err(MulticastError::Error.into()),
        _ => return None,
    })
}

/// Arguments of a method.
#[derive(Clone, Copy, PartialEq)]
enum Numbers {
    Group,
    Node,
    Both,
}

fn group(context: &Context<'_>) -> Result<u16, Fault> {
    Ok(u16::try_from(context.arguments.i32(2)?).map_err(|_| MulticastError::InvalidGroup)?)
}

fn node(context: &Context<'_>, number: i16) -> Result<u32, Fault> {
    Ok(context.arguments.index(number)?.ok_or(MulticastError::InvalidNode)?)
}

fn execute(context: &mut Context<'_>, command: fn(u32, u32) -> Command, numbers: Numbers) -> Returned {
    let (first, second) = match numbers {
        Numbers::Group => (u32::from(group(context)?), 0),
        Numbers::Node => (node(context, 2)?, 0),
        Numbers::Both => (u32::from(group(context)?), node(context, 3)?),
    };
    context.execute(&command(first, second)).map_err(refused)?;
    done()
}

fn create_group(context: &mut Context<'_>) -> Returned {
    let group = group(context)?;
    context.execute(&Command::GroupCreate { group }).map_err(refused)?;
    // A group's handle is its number.
    Ok(Some(i32::from(group).into()))
}

fn create_node(context: &mut Context<'_>) -> Returned {
    let rid = u16::try_from(context.arguments.i32(2)?).map_err(|_| MulticastError::Error)?;
    let ports = ports(context)?;
    let node = context.create(&Command::NodeCreate { rid, ports }).map_err(refused)?;
    Ok(Some(node.into()))
}

fn update_node(context: &mut Context<'_>) -> Returned {
    let node = node(context, 2)?;
    let ports = ports(context)?;
    context.execute(&Command::NodeUpdate { node, ports }).map_err(refused)?;
    done()
}

/// The ports of a call. Maps are text: the last character is of number 0, and `1` means that it is in the set.
fn ports(context: &Context<'_>) -> Result<Vec<Port>, Fault> {
    let (ports, lags) = (numbers(context.arguments.text(3)?)?, numbers(context.arguments.text(4)?)?);
    match lags[..] {
        [] => Ok(ports.into_iter().map(Port).collect()),
        _ => Err(MulticastError::Error.into()),
    }
}

fn numbers(map: &str) -> Result<Vec<u16>, Fault> {
    let mut found = Vec::new();
    for (number, bit) in map.bytes().rev().enumerate() {
        match bit {
            b'0' => {}
            b'1' => found.push(u16::try_from(number).map_err(|_| MulticastError::Error)?),
            _ => return Err(MulticastError::Error.into()),
        }
    }
    Ok(found)
}

fn refused(error: CommandError) -> Fault {
    match error {
        CommandError::NoGroup(_) | CommandError::GroupZero => MulticastError::InvalidGroup,
        CommandError::NoNode(_) => MulticastError::InvalidNode,
        _ => MulticastError::Error,
    }
    .into()
}

/// Groups and nodes as JSON. Each node has a set of ports of its own, with the node's number.
fn entries(context: &Context<'_>) -> String {
    let replication = context.switch.replication();
    let groups: Vec<_> = replication
        .groups()
        .into_iter()
        .map(|group| json!({ "id": group, "l1_handles": replication.nodes_of(group) }))
        .collect();
    let nodes: Vec<_> = replication
        .nodes()
        .map(|(number, node)| json!({ "handle": number, "rid": node.rid, "l2_handle": number }))
        .collect();
    let ports: Vec<_> = replication
        .nodes()
        .map(|(number, node)| {
            let ports: Vec<u16> = node.ports.iter().map(|port| port.0).collect();
            json!({ "handle": number, "ports": ports, "lags": [] })
        })
        .collect();
    json!({ "mgrps": groups, "l1_handles": nodes, "l2_handles": ports, "lags": [] }).to_string()
}
