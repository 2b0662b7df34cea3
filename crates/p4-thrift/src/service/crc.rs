//! Methods of custom hashes. A switch has one custom hash of 16 bits and one of 32, where BMv2 has one per calculation: if several
//! calculations share it, they cannot have parameters of their own.

use jettison_p4_exec::objects::CrcParameters;
use jettison_p4_front::ir::HashAlgorithm;
use jettison_p4_v1model::control::Command;

use super::Returned;
use super::context::{Context, done};
use crate::arguments::Arguments;
use crate::calculations::calculations;
use crate::fault::{CrcError, Fault, ToeplitzError};

pub(super) fn call(context: &mut Context<'_>, method: &str) -> Option<Returned> {
    Some(match method {
        "bm_set_crc16_custom_parameters" => set16(context),
        "bm_set_crc32_custom_parameters" => set32(context),
        "bm_set_toeplitz_hash_key" => Err(ToeplitzError::WrongType.into()),
        _ => return None,
    })
}

/// Checks that the calculation of a call has this algorithm, and is the only one.
fn check(context: &Context<'_>, algorithm: HashAlgorithm) -> Result<(), Fault> {
    let name = context.arguments.text(2)?;
    let all = calculations(context.program());
    let known = all.iter().find(|(own, _)| own == name).ok_or(CrcError::InvalidName)?;
    match all.iter().filter(|(_, own)| *own == algorithm).count() {
        _ if known.1 != algorithm => Err(CrcError::WrongType.into()),
        0 | 1 => Ok(()),
        _ => Err(CrcError::InvalidConfig.into()),
    }
}

fn set16(context: &mut Context<'_>) -> Returned {
    let algorithm = HashAlgorithm::Crc16Custom;
    check(context, algorithm)?;
    let given = context.arguments.fields(3)?;
    let word = |number| given.i16(number).map(|word| u32::from(word as u16));
    let parameters = CrcParameters {
        polynomial: word(1)?,
        initial: word(2)?,
        final_xor: word(3)?,
        reflect_data: given.bool(4)?,
        reflect_remainder: given.bool(5)?,
    };
    set(context, algorithm, parameters)
}

fn set32(context: &mut Context<'_>) -> Returned {
    let algorithm = HashAlgorithm::Crc32Custom;
    check(context, algorithm)?;
    let given = context.arguments.fields(3)?;
    let word = |number| given.i32(number).map(|word| word as u32);
    let parameters = CrcParameters {
        polynomial: word(1)?,
        initial: word(2)?,
        final_xor: word(3)?,
        reflect_data: given.bool(4)?,
        reflect_remainder: given.bool(5)?,
    };
    set(context, algorithm, parameters)
}

fn set(context: &mut Context<'_>, algorithm: HashAlgorithm, parameters: CrcParameters) -> Returned {
    let command = Command::CrcParameters { algorithm, parameters };
    context.execute(&command).map_err(|_| CrcError::InvalidName)?;
    done()
}
