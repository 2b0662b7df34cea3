//! Errors of methods: those that the interface declares, and Thrift's own.

use thiserror::Error;

/// A call that has failed; the switch is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// The exception that the interface declares for the method, with its code.
    #[error("exception with code {0}")]
    Declared(i32),
    /// `TApplicationException`, for methods without an exception and for malformed calls.
    #[error("{1}")]
    Application(ApplicationError, String),
}

/// Kind of a `TApplicationException`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationError {
    /// No service has the method.
    UnknownMethod = 1,
    /// The switch cannot do it.
    Internal = 6,
    /// An argument is missing or of another type.
    Protocol = 7,
}

/// The switch cannot do it, and the interface has no exception for the method.
pub fn internal(message: impl Into<String>) -> Fault {
    Fault::Application(ApplicationError::Internal, message.into())
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident { $($code:ident = $number:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)] // the names are those of the interface
        pub enum $name { $($code = $number,)* }

        impl From<$name> for Fault {
            fn from(code: $name) -> Fault {
                Fault::Declared(code as i32)
            }
        }
    )*};
}

codes! {
    /// Codes of `InvalidTableOperation`.
    TableError {
        TableFull = 1,
        InvalidHandle = 2,
        CountersDisabled = 4,
        MetersDisabled = 5,
        AgeingDisabled = 6,
        InvalidTableName = 7,
        InvalidActionName = 8,
        WrongTableType = 9,
        InvalidMember = 10,
        MemberStillUsed = 11,
        MemberAlreadyInGroup = 12,
        MemberNotInGroup = 13,
        InvalidGroup = 14,
        GroupStillUsed = 15,
        EmptyGroup = 16,
        DuplicateEntry = 17,
        BadMatchKey = 18,
        InvalidMeterOperation = 19,
        DefaultActionIsConst = 20,
        InvalidProfileName = 23,
        NoSelection = 24,
        ImmutableEntries = 25,
        BadActionData = 26,
        Error = 100,
    }
    /// Codes of `InvalidCounterOperation`.
    CounterError { InvalidName = 1, InvalidIndex = 2, }
    /// Codes of `InvalidMeterOperation`.
    MeterError { InvalidName = 1, InvalidIndex = 2, BadRates = 3, InvalidRate = 4, InvalidBurst = 5, }
    /// Codes of `InvalidRegisterOperation`.
    RegisterError { InvalidName = 1, InvalidIndex = 2, }
    /// Codes of `InvalidParseVSetOperation`.
    ValueSetError { InvalidName = 1, Error = 2, }
    /// Codes of `InvalidLearnOperation`.
    LearnError { Error = 3, }
    /// Codes of `InvalidSwapOperation`.
    SwapError { Disabled = 1, }
    /// Codes of `InvalidDevMgrOperation`.
    PortError { Error = 1, }
    /// Codes of `InvalidCrcOperation`.
    CrcError { InvalidName = 1, WrongType = 2, InvalidConfig = 3, }
    /// Codes of `InvalidToeplitzHashOperation`.
    ToeplitzError { WrongType = 2, }
    /// Codes of `InvalidIdLookup`.
    LookupError { InvalidType = 0, InvalidName = 1, }
    /// Codes of `InvalidMcOperation`.
    MulticastError { InvalidGroup = 2, InvalidNode = 4, Error = 5, }
    /// Codes of `InvalidMirroringOperation`.
    MirroringError { NotFound = 1, }
}
