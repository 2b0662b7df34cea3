//! Test helper that the tests fork, watch and kill: a process without threads. The first argument selects the task.

#![expect(clippy::disallowed_methods, reason = "the tests watch processes that wait")]

use std::cell::Cell;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use jettison_live::net::Namespace;
use jettison_live::process::command::{Program, Signal, Supervisor};
use jettison_live::process::{Inherited, Job, Link, Nursery, Options, Work, check};
use nix::sys::signal::{SigHandler, signal};

static STOP: AtomicBool = AtomicBool::new(false);

extern "C" fn stop(_: i32) {
    STOP.store(true, Ordering::Release);
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let result = match arguments.first().map(String::as_str) {
        Some("check") => check().map(|found| println!("{found:?}")).map_err(|error| error.to_string()),
        Some("jobs") => jobs(),
        Some("hold") => hold(rest),
        Some("programs") => programs(rest),
        Some("terminal") => terminal(),
        Some("threads") => threads(),
        other => Err(format!("unknown task {other:?}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Starts one run per way to end, and prints how each ended.
fn jobs() -> Result<(), String> {
    let work: Work = Box::new(|job, link| match job {
        0 => {
            for message in ["one", "two"] {
                link.send(message.as_bytes()).map_err(|error| error.to_string())?;
            }
            let processes = fs::read_dir("/proc")
                .map_err(|error| error.to_string())?
                .filter_map(Result::ok)
                .filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok())
                .count();
            let text = format!("I am {} of {processes}", std::process::id());
            link.send(text.as_bytes()).map_err(|error| error.to_string())
        }
        1 => Err("the work says no".to_owned()),
        2 => panic!("the work panics"),
        3 => std::process::abort(),
        4 => {
            while !link.stop_requested() {
                thread::sleep(Duration::from_millis(1));
            }
            link.send(b"stopping").map_err(|error| error.to_string())
        }
        5 => loop {
            thread::sleep(Duration::from_secs(1));
        },
        other => std::process::exit(i32::try_from(other).unwrap_or(1)),
    });
    let options = Options { grace: Duration::from_millis(300), ..Options::default() };
    let mut nursery = Nursery::start(work, options).map_err(|error| error.to_string())?;
    for job in 0..7 {
        let start = Instant::now();
        let stop = || job >= 4 && start.elapsed() > Duration::from_millis(50);
        let mut on_message = |message: &[u8]| println!("{job}: message {}", String::from_utf8_lossy(message));
        let ended = nursery.run(job, &mut on_message, &stop).map_err(|error| error.to_string())?;
        println!("{job}: {ended:?}");
    }
    Ok(())
}

/// Holds a run with two named hosts and a program in each, one of which leaves a process behind, until a signal or the end.
/// Arguments: a folder for logs, a name for the first host.
fn hold(arguments: &[String]) -> Result<(), String> {
    let [folder, name] = arguments else { return Err("hold FOLDER NAME".to_owned()) };
    let (folder, name) = (PathBuf::from(folder), name.clone());
    let work: Work = Box::new(move |_, link| {
        let mut supervisor = Supervisor::new();
        let mut inodes = Vec::new();
        for (name, run) in [
            (
                name.as_str(),
                "sh -c '(setsid sleep 600 &) ; (setsid true &) ; trap \"\" TERM; sleep 600; sleep 600'"
                    .to_owned(),
            ),
            ("other", "sleep 600".to_owned()),
        ] {
            let host = host(link, name)?;
            inodes.push(host.inode().map_err(|error| error.to_string())?.to_string());
            let program = program(name, host, &run, folder.join(name));
            supervisor.start(program).map_err(|error| error.to_string())?;
        }
        // Lets all programs start before the test looks.
        thread::sleep(Duration::from_millis(100));
        link.send(format!("holding {}", inodes.join(" ")).as_bytes()).map_err(|error| error.to_string())?;
        while !link.stop_requested() {
            supervisor.poll();
            thread::sleep(Duration::from_millis(5));
        }
        let ended = supervisor.stop_all(Duration::from_millis(300));
        link.send(format!("stopped {}", ended.len()).as_bytes()).map_err(|error| error.to_string())
    });
    let mut nursery = Nursery::start(work, Options::default()).map_err(|error| error.to_string())?;
    for number in [Signal::SIGINT, Signal::SIGTERM] {
        // SAFETY: the handler stores to an atomic.
        unsafe { signal(number, SigHandler::Handler(stop)) }.map_err(|error| error.to_string())?;
    }
    let mut on_message = |message: &[u8]| println!("{}", String::from_utf8_lossy(message));
    let ended = nursery
        .run(0, &mut on_message, &|| STOP.load(Ordering::Acquire))
        .map_err(|error| error.to_string())?;
    println!("{ended:?}");
    Ok(())
}

/// Runs commands in sequence in two named hosts of one run, and prints their output and exit status.
/// Arguments: a folder for logs, a user or `-`, commands.
fn programs(arguments: &[String]) -> Result<(), String> {
    let [folder, user, commands @ ..] = arguments else {
        return Err("programs FOLDER USER COMMAND..".to_owned());
    };
    let (folder, user) = (PathBuf::from(folder), (user != "-").then(|| user.clone()));
    let commands = commands.to_vec();
    let work: Work = Box::new(move |_, link| {
        let say = |text: String| link.send(text.as_bytes()).map_err(|error| error.to_string());
        let (one, _two) = (host(link, "h1")?, host(link, "h2")?);
        let mut supervisor = Supervisor::new();
        for (number, run) in commands.iter().enumerate() {
            let log = folder.join(format!("p{number}"));
            let mut program = program("flow", one.clone(), run, log.clone());
            program.user.clone_from(&user);
            supervisor.start(program).map_err(|error| error.to_string())?;
            let exited = loop {
                if let Some(exited) = supervisor.poll().pop() {
                    break exited;
                }
                thread::sleep(Duration::from_millis(2));
            };
            let output = fs::read_to_string(log.with_extension("out")).map_err(|error| error.to_string())?;
            say(format!("{number}: {:?} {}", exited.status.code(), output.trim().replace('\n', " | ")))?;
            if !exited.status.success() {
                say(exited.last_lines)?;
            }
        }
        Ok(())
    });
    let mut nursery = Nursery::start(work, Options::default()).map_err(|error| error.to_string())?;
    let mut on_message = |message: &[u8]| println!("{}", String::from_utf8_lossy(message));
    let ended = nursery.run(0, &mut on_message, &|| false).map_err(|error| error.to_string())?;
    println!("{ended:?}");
    Ok(())
}

/// Starts a program that reads a line from the terminal; then this process reads one.
fn terminal() -> Result<(), String> {
    let work: Work = Box::new(|_, link| {
        let mut supervisor = Supervisor::new();
        let mut program =
            program("shell", host(link, "h1")?, "sh -c 'read x; echo program has $x'", PathBuf::new());
        program.terminal = true;
        supervisor.start(program).map_err(|error| error.to_string())?;
        while !supervisor.is_idle() {
            supervisor.poll();
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    });
    let options = Options { terminal: true, ..Options::default() };
    let mut nursery = Nursery::start(work, options).map_err(|error| error.to_string())?;
    let begin = Cell::new(Instant::now());
    let late = || begin.get().elapsed() > Duration::from_secs(5);
    let ended = nursery.run(0, &mut |_| {}, &late).map_err(|error| error.to_string())?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(|error| error.to_string())?;
    println!("{ended:?}, command has {}", line.trim());
    Ok(())
}

fn threads() -> Result<(), String> {
    let _other = thread::spawn(|| thread::sleep(Duration::from_secs(60)));
    let nothing: Work = Box::new(|_: Job, _: &Link| Ok(()));
    Nursery::start(nothing, Options::default()).map(drop).map_err(|error| error.to_string())
}

fn host(link: &Link, name: &str) -> Result<Arc<Namespace>, String> {
    let host = Namespace::new().map_err(|error| error.to_string())?;
    link.name_host(&host, name).map_err(|error| error.to_string())?;
    Ok(Arc::new(host))
}

fn program(name: &str, host: Arc<Namespace>, run: &str, log: PathBuf) -> Program {
    Program {
        name: name.to_owned(),
        host,
        run: run.to_owned(),
        user: None,
        inherited: Inherited::All,
        environment: Vec::new(),
        directory: None,
        log,
        terminal: false,
        stop_signal: Signal::SIGTERM,
        grace: Duration::from_secs(1),
        real_time: None,
    }
}
