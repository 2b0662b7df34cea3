//! Methods of clone sessions, and of time.

use jettison_p4_v1model::control::{Command, CommandError};
use jettison_p4_v1model::{MirrorSession, MirrorTarget};
use jettison_switch::Port;

use super::Returned;
use super::context::{Context, done};
use crate::arguments::Arguments;
use crate::codec::Fields;
use crate::fault::{Fault, MirroringError, internal};

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "mirroring_session_add" => add(context),
        "mirroring_session_delete" => session(context).and_then(|session| delete(context, session)),
        "mirroring_session_get" => get(context),
        "mirroring_mapping_add" => add_port(context),
        "mirroring_mapping_delete" => delete_port(context),
        "mirroring_mapping_get_egress_port" => port(context),
        "get_time_elapsed_us" => Ok(Some(((context.now.as_nanos() / 1000) as i64).into())),
        "get_time_since_epoch_us" => Ok(Some(context.since_epoch.into())),
        _ => return None,
    })
}

/// The session of a call, which is configured.
fn session(context: &Context<'_>) -> Result<u32, Fault> {
    let given = context.arguments.index(1)?;
    let known = given.filter(|session| context.switch.simple_switch().mirror(*session).is_some());
    Ok(known.ok_or(MirroringError::NotFound)?)
}

fn add(context: &mut Context<'_>) -> Returned {
    let session = context.arguments.index(1)?.ok_or(MirroringError::NotFound)?;
    let given = context.arguments.fields(2)?;
    let number = |at: i16| given.get(at).map(|_| given.i32(at)).transpose();
    let config = match (number(1)?, number(2)?) {
        (Some(port), None) => to_port(port)?,
        (None, Some(group)) => {
            let group =
                u16::try_from(group).map_err(|_| internal(format!("unknown multicast group {group}")))?;
            MirrorSession::to_group(group)
        }
        (None, None) => return Err(internal("a session needs a port or a multicast group")),
        (Some(_), Some(_)) => {
            return Err(internal("a session has a port or a multicast group, not both"));
        }
    };
    configure(context, session, config)
}

fn to_port(port: i32) -> Result<MirrorSession, Fault> {
    let port = u16::try_from(port).map_err(|_| internal(format!("unknown port {port}")))?;
    Ok(MirrorSession::to_port(Port(port)))
}

fn configure(context: &mut Context<'_>, session: u32, config: MirrorSession) -> Returned {
    context.execute(&Command::MirroringAdd { session, config }).map_err(refused)?;
    done()
}

/// The interface's only code is for unknown sessions.
fn refused(error: CommandError) -> Fault {
    match error {
        CommandError::NoSession(_) => MirroringError::NotFound.into(),
        other => internal(other.to_string()),
    }
}

fn delete(context: &mut Context<'_>, session: u32) -> Returned {
    context.execute(&Command::MirroringDelete { session }).map_err(refused)?;
    done()
}

fn get(context: &Context<'_>) -> Returned {
    let session = session(context)?;
    let config = context.switch.simple_switch().mirror(session).ok_or(MirroringError::NotFound)?;
    let fields = match config.to {
        MirrorTarget::Port(port) => Fields::new().with(1, i32::from(port.0)),
        MirrorTarget::Group(group) => Fields::new().with(2, i32::from(group)),
    };
    Ok(Some(fields.into()))
}

// The older methods, with -1 for a session that is not to a port.

fn add_port(context: &mut Context<'_>) -> Returned {
    let session = context.arguments.index(1)?.ok_or_else(|| internal("a session must not be negative"))?;
    let config = to_port(context.arguments.i32(2)?)?;
    configure(context, session, config)?;
    Ok(Some(0.into()))
}

fn delete_port(context: &mut Context<'_>) -> Returned {
    match session(context) {
        Ok(session) => delete(context, session).map(|_| Some(0.into())),
        Err(Fault::Declared(_)) => Ok(Some((-1).into())),
        Err(other) => Err(other),
    }
}

fn port(context: &Context<'_>) -> Returned {
    let given = context.arguments.index(1)?;
    let config = given.and_then(|session| context.switch.simple_switch().mirror(session));
    let port = match config.map(|config| config.to) {
        Some(MirrorTarget::Port(port)) => i32::from(port.0),
        _ => -1,
    };
    Ok(Some(port.into()))
}
