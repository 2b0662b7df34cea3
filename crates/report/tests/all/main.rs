//! Tests of the report in a browser.

mod browser;
mod made_up;
