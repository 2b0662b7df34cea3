//! Requests to the kernel over netlink(7): the form of messages, and the route family's socket.

mod message;
mod route;

pub(crate) use message::{Request, attribute, attributes, failure, messages};
pub(crate) use route::{dump, transact};
