//! Progress of long commands on standard error: a bar on a terminal, a line every ten seconds elsewhere.

use std::fmt;
use std::io::IsTerminal;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jettison_input::text::Line;
use jettison_run::Progress;

use crate::output::{Stream, print, print_error};

/// Positions of a bar, for shares.
const STEPS: u64 = 1000;
/// Time between lines where there is no terminal.
const BETWEEN: Duration = Duration::from_secs(10);

/// A progress bar, or lines if standard error is not a terminal.
pub struct Bar {
    bar: ProgressBar,
    /// The lines.
    lines: Option<Lines>,
}

impl Bar {
    /// Creates a bar with a title.
    pub fn new(title: &str) -> Bar {
        Bar::with(title, "{prefix} [{bar:30}] {percent:>3} % {msg}, {eta} left", Some(STEPS))
    }

    /// Creates one for work whose amount is not known: it shows the time that has passed.
    pub fn of_unknown_length(title: &str) -> Bar {
        Bar::with(title, "{prefix} {spinner} {elapsed}", None)
    }

    fn with(title: &str, template: &str, length: Option<u64>) -> Bar {
        let is_terminal = std::io::stderr().is_terminal();
        let target = match is_terminal {
            true => ProgressDrawTarget::stderr_with_hz(5),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(length, target);
        let style = ProgressStyle::with_template(template)
            .expect("the template is a constant that parses")
            .progress_chars("=> ");
        bar.set_style(style);
        bar.set_prefix(Line(title).to_string());
        if is_terminal {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        let lines = (!is_terminal).then(|| Lines::start(bar.clone(), BETWEEN));
        Bar { bar, lines }
    }

    /// Shows the progress of runs.
    pub fn show(&self, progress: Progress) {
        self.show_share(progress.share, format!("{} of {} runs", progress.finished, progress.jobs));
    }

    /// Shows a share from 0 to 1, and what it is of.
    pub fn show_share(&self, share: f64, message: impl Into<String>) {
        self.bar.set_position((share * STEPS as f64) as u64);
        self.bar.set_message(message.into());
    }

    /// Prints a line above the bar.
    pub fn above(&self, line: fmt::Arguments<'_>, stream: Stream) {
        self.bar.suspend(|| match stream {
            // A reader that has left is noticed by the output that follows.
            Stream::Output => drop(print(format_args!("{line}\n"))),
            Stream::Error => print_error(line),
        });
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.lines.take());
        self.bar.finish_and_clear();
    }
}

/// A thread that prints lines until it is dropped.
struct Lines {
    over: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    fn start(bar: ProgressBar, between: Duration) -> Lines {
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        let shared = Arc::clone(&over);
        let print_until_over = move || {
            let (flag, condition) = &*shared;
            let mut over = flag.lock().unwrap_or_else(PoisonError::into_inner);
            while !*over {
                let waited = condition.wait_timeout(over, between);
                let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                over = guard;
                if timeout.timed_out() && !*over {
                    print_error(format_args!("{}", line(&bar)));
                }
            }
        };
        // Without the thread there are no lines, and the work goes on.
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(print_until_over).ok();
        Lines { over, thread }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let (flag, condition) = &*self.over;
        *flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        condition.notify_all();
        if let Some(thread) = self.thread.take() {
            // It only prints.
            let _ = thread.join();
        }
    }
}

/// `name: 40 % (2 of 5 runs), 12 s left`.
fn line(bar: &ProgressBar) -> String {
    let title = bar.prefix();
    let seconds = |duration: Duration| span(duration.as_secs());
    if bar.length().is_none() {
        return format!("{title}: {} so far", seconds(bar.elapsed()));
    }
    let position = bar.position().min(STEPS);
    let message = bar.message();
    let of = if message.is_empty() { String::new() } else { format!(" ({message})") };
    let share = format!("{title}: {} %{of}", position * 100 / STEPS);
    // By the mean rate: lines are so far apart that the latest one says little.
    match position {
        0 => share,
        STEPS => format!("{share}, writing the results"),
        _ => {
            let left = bar.elapsed().mul_f64((STEPS - position) as f64 / position as f64);
            format!("{share}, {} left", seconds(left))
        }
    }
}

/// A time as people say it.
fn span(seconds: u64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_share_and_the_time_left() {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::hidden())
            .with_elapsed(Duration::from_secs(30))
            .with_prefix("mine")
            .with_message("2 of 5 runs");
        assert_eq!(line(&bar), "mine: 0 % (2 of 5 runs)");
        bar.set_position(250);
        assert_eq!(line(&bar), "mine: 25 % (2 of 5 runs), 90 s left");
        let unknown = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden())
            .with_elapsed(Duration::from_secs(130))
            .with_prefix("explain");
        assert_eq!(line(&unknown), "explain: 3 min so far");
    }

    #[test]
    fn the_thread_ends_with_the_bar() {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::hidden());
        let lines = Lines::start(bar, Duration::from_secs(3600));
        // Returns at once, or the test hangs.
        drop(lines);
    }

    #[test]
    fn times_are_short() {
        assert_eq!([119, 121, 7200].map(span), ["119 s", "3 min", "2 h 0 min"]);
    }
}
