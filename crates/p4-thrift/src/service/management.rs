//! Methods about the switch itself: its configuration, ports and resources, and what it does not do.

use md5::{Digest, Md5};

use super::Returned;
use super::context::{Context, same};
use crate::arguments::Arguments;
use crate::codec::{Fields, Kind, Value};
use crate::description::description;
use crate::fault::{LearnError, LookupError, PortError, SwapError, internal};

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "bm_get_config" => Ok(Some(description(context.program()).into())),
        "bm_get_config_md5" => {
            Ok(Some(Md5::digest(description(context.program()).as_bytes()).to_vec().into()))
        }
        "bm_mgmt_get_info" => {
            let fields = Fields::new().with(1, context.device.id as i64);
            Ok(Some(fields.with(2, i32::from(context.device.port)).into()))
        }
        "bm_dev_mgr_show_ports" => ports(context),
        // Links make the ports.
        "bm_dev_mgr_add_port" | "bm_dev_mgr_remove_port" => Err(PortError::Error.into()),
        "bm_get_id_from_name" => id(context),
        // As in a `simple_switch` that was started without `--enable-swap`.
        "bm_load_new_config" | "bm_swap_configs" => Err(SwapError::Disabled.into()),
        // Digests of BMv2 go over nanomsg, so there is nothing to acknowledge.
        "bm_learning_ack"
        | "bm_learning_ack_buffer"
        | "bm_learning_set_timeout"
        | "bm_learning_set_buffer_size" => Err(LearnError::Error.into()),
        "bm_serialize_state" => Err(internal("the state of this switch has no form in text")),
        _ => return None,
    })
}

fn ports(context: &Context<'_>) -> Returned {
    let ports = context.device.ports.iter().map(|(number, interface)| {
        Fields::new()
            .with(1, i32::from(*number))
            .with(2, interface.as_str())
            .with(3, true)
            .with(4, Value::Map(Kind::Binary, Kind::Binary, Vec::new()))
    });
    Ok(Some(Value::structs(ports)))
}

/// Ids are the places in the lists of the configuration.
fn id(context: &Context<'_>) -> Returned {
    use jettison_p4_front::ir::ExternKind as Of;
    let (kind, name) = (context.arguments.i32(2)?, context.arguments.text(3)?);
    let program = context.program();
    let object = |is: fn(Of) -> bool| {
        let mut all = program.externs.iter().filter(|own| is(own.kind));
        all.position(|own| same(&own.name, name))
    };
    let at = match kind {
        0 => program.tables.iter().position(|table| same(&table.name, name)),
        1 => program.profiles.iter().position(|profile| same(&profile.name, name)),
        2 => object(|kind| matches!(kind, Of::Counter { .. } | Of::DirectCounter)),
        3 => object(|kind| matches!(kind, Of::Meter { .. } | Of::DirectMeter { .. })),
        4 => object(|kind| matches!(kind, Of::Register { .. })),
        5 => None,
        _ => return Err(LookupError::InvalidType.into()),
    };
    Ok(Some((at.ok_or(LookupError::InvalidName)? as i32).into()))
}
