//! Errors with the canonical codes of gRPC.

use std::fmt;

use jettison_p4_exec::table::TableError;
use jettison_p4_v1model::control::CommandError;

/// Canonical error code (`google.rpc.Code`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names are gRPC's
pub enum Code {
    Ok = 0,
    Unknown = 2,
    InvalidArgument = 3,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    Unimplemented = 12,
    Internal = 13,
}

impl Code {
    /// Its name in the specification.
    pub fn name(self) -> &'static str {
        match self {
            Code::Ok => "OK",
            Code::Unknown => "UNKNOWN",
            Code::InvalidArgument => "INVALID_ARGUMENT",
            Code::NotFound => "NOT_FOUND",
            Code::AlreadyExists => "ALREADY_EXISTS",
            Code::PermissionDenied => "PERMISSION_DENIED",
            Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Code::FailedPrecondition => "FAILED_PRECONDITION",
            Code::Aborted => "ABORTED",
            Code::OutOfRange => "OUT_OF_RANGE",
            Code::Unimplemented => "UNIMPLEMENTED",
            Code::Internal => "INTERNAL",
        }
    }
}

/// A refused request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Kind of error.
    pub code: Code,
    /// Text for the controller's user.
    pub message: String,
}

impl Fault {
    /// An error.
    pub fn new(code: Code, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// `INVALID_ARGUMENT`.
pub(crate) fn invalid(message: impl Into<String>) -> Fault {
    Fault::new(Code::InvalidArgument, message)
}

/// `NOT_FOUND`.
pub(crate) fn not_found(message: impl Into<String>) -> Fault {
    Fault::new(Code::NotFound, message)
}

impl From<TableError> for Fault {
    fn from(error: TableError) -> Fault {
        let code = match error {
            TableError::Duplicate => Code::AlreadyExists,
            TableError::Full(_) => Code::ResourceExhausted,
            TableError::NoEntry(_) => Code::NotFound,
            TableError::ConstEntries | TableError::ConstDefault => Code::PermissionDenied,
            TableError::Mismatch(_) => Code::InvalidArgument,
        };
        Fault::new(code, error.to_string())
    }
}

impl From<CommandError> for Fault {
    fn from(error: CommandError) -> Fault {
        invalid(error.to_string())
    }
}
