//! The v1model architecture as BMv2 `simple_switch` runs it.
