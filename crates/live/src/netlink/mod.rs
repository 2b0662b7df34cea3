//! Netlink requests to the kernel (netlink(7)): the message format, and the socket of the route family.

mod message;
mod route;

pub(crate) use message::{Request, attribute, attributes, failure, messages};
pub(crate) use route::{dump, transact};
