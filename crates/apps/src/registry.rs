//! Which applications there are.

use jettison_core::{BuildError, Bytes, Registry, parameters};
use jettison_sockets::{ApplicationEntry, FlowApplications, FlowContext, FlowTransport, Initiator};
use schemars::schema_for;
use serde_json::Value;

use crate::load::bulk::{Bulk, BulkParameters};
use crate::load::cbr::{Cbr, CbrParameters};
use crate::load::message_bulk::{MessageBulk, MessageSink};
use crate::load::on_off::{OnOff, OnOffParameters};
use crate::load::ping::{Ping, PingParameters};
use crate::load::probe::ProbeHead;
use crate::load::segments::{Segments, SegmentsParameters};
use crate::load::sink::{TcpSink, UdpSink};
use crate::load::web::{Web, WebParameters};
use crate::realtime::conference::{ConferenceParameters, ConferenceReceiver, ConferenceSender};
use crate::realtime::haptic::{HapticParameters, HapticReceiver, HapticSender};
use jettison_dash::{DashClient, DashLoad, DashLoadParameters, DashParameters, DashServer};
use jettison_sockets::TcpOptions;
use jettison_sockets::command::CommandParameters;
use jettison_video::video;
use jettison_video::video::{SpatialVideoParameters, TemporalVideoParameters, VolumetricVideoParameters};

/// All applications of this crate.
pub fn applications() -> Registry<ApplicationEntry> {
    let mut registry = Registry::new("application");
    registry.register(ApplicationEntry {
        id: "bulk",
        summary: "a bulk transfer: all data at once, as fast as the transport goes",
        source: "as iperf",
        transports: &["tcp", "octopus"],
        initiator: Initiator::From,
        schema: || schema_for!(BulkParameters),
        build: build_bulk,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "cbr",
        summary: "datagrams of one size at a constant bit rate; the sink measures loss, delay and jitter",
        source: "RFC 3550 §6.4.1 (jitter)",
        transports: &["udp"],
        initiator: Initiator::From,
        schema: || schema_for!(CbrParameters),
        build: build_cbr,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "on-off",
        summary: "bursts at a constant bit rate with silences between them",
        source: "Willinger et al. 1997 §2 (on/off sources); RFC 3550 §6.4.1 (jitter)",
        transports: &["udp"],
        initiator: Initiator::From,
        schema: || schema_for!(OnOffParameters),
        build: build_on_off,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "ping",
        summary: "ICMP echo requests at an interval",
        source: "RFC 792, RFC 4443 §4",
        transports: &[],
        initiator: Initiator::From,
        schema: || schema_for!(PingParameters),
        build: build_ping,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "segments",
        summary: "a segment at an interval over one connection: the on/off pattern of adaptive streaming",
        source: "Akhshabi, Begen, Dovrolis 2011 §3 (steady state)",
        transports: &["tcp"],
        initiator: Initiator::From,
        schema: || schema_for!(SegmentsParameters),
        build: build_segments,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "web",
        summary: "short transfers at Poisson instants with heavy-tailed sizes, a connection each",
        source: "Crovella & Bestavros 1997 §3",
        transports: &["tcp"],
        initiator: Initiator::From,
        schema: || schema_for!(WebParameters),
        build: build_web,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "dash",
        summary: "adaptive streaming over HTTP/1.1: a server at `from`, a player at `to`",
        source: "ISO/IEC 23009-1; RFC 9112",
        transports: &["tcp"],
        initiator: Initiator::To,
        schema: || schema_for!(DashParameters),
        build: build_dash,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "dash-load",
        summary: "players that come and go as a sinusoid, each on a random title of a catalogue",
        source: "the load generator published by the authors of iRED",
        transports: &["tcp"],
        initiator: Initiator::To,
        schema: || schema_for!(DashLoadParameters),
        build: build_dash_load,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "spatial-video",
        summary: "real-time video in quality layers, or of a codec without, sent as messages",
        source: "Chen, Tahir, Mittal, case 2",
        transports: &["octopus", "tcp"],
        initiator: Initiator::From,
        schema: || schema_for!(SpatialVideoParameters),
        build: video::build_spatial,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "temporal-video",
        summary: "real-time video in temporal layers, or of a codec without, sent as messages",
        source: "Chen, Tahir, Mittal, case 1",
        transports: &["octopus", "tcp"],
        initiator: Initiator::From,
        schema: || schema_for!(TemporalVideoParameters),
        build: video::build_temporal,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "volumetric-video",
        summary: "real-time video of point clouds in cells and density layers, sent as messages",
        source: "Chen, Tahir, Mittal, case 3",
        transports: &["octopus", "tcp"],
        initiator: Initiator::From,
        schema: || schema_for!(VolumetricVideoParameters),
        build: video::build_volumetric,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "conference",
        summary: "a video conference: frames of several datagrams, at a fixed rate or backing off on loss",
        source: "RFC 3550 §6.4 (receiver reports, jitter)",
        transports: &["udp"],
        initiator: Initiator::From,
        schema: || schema_for!(ConferenceParameters),
        build: build_conference,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "haptic",
        summary: "samples of a force, all of them or those that can be felt; counts which come too late",
        source: "Hinterseer et al. 2008 (perceptual dead-band)",
        transports: &["udp"],
        initiator: Initiator::From,
        schema: || schema_for!(HapticParameters),
        build: build_haptic,
        programs: None,
    });
    registry.register(ApplicationEntry {
        id: "command",
        summary: "programs of your own at the flow's ends; only in `jettison live`",
        source: "real programs over the kernel's own transports",
        transports: &[],
        initiator: Initiator::To,
        schema: || schema_for!(CommandParameters),
        build: |_, _| Err(BuildError::whole("runs real programs, which only `jettison live` does")),
        programs: Some(read_command),
    });
    registry
}

fn read_command(value: &Value) -> Result<CommandParameters, BuildError> {
    let own: CommandParameters = parameters(value)?;
    own.validate()?;
    Ok(own)
}

fn build_bulk(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let parameters: BulkParameters = parameters(value)?;
    if parameters.bytes == Some(Bytes::ZERO) {
        return Err(BuildError::at("bytes", "a transfer of nothing; leave it out for one without end"));
    }
    if let FlowTransport::Octopus(options) = context.transport {
        return Ok(FlowApplications {
            from: Box::new(MessageBulk::new(&parameters, context.remote, options)),
            to: Some(Box::new(MessageSink::new(context.remote.port, options))),
        });
    }
    let options = tcp(context, "bulk")?;
    Ok(FlowApplications {
        from: Box::new(Bulk::new(&parameters, context.remote, options.clone())),
        to: Some(Box::new(TcpSink::new(context.remote.port, options))),
    })
}

fn build_cbr(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let parameters: CbrParameters = parameters(value)?;
    let traffic_class = udp(context, "cbr")?;
    check_payload(parameters.payload)?;
    match parameters.interval {
        Some(interval) if interval.is_zero() => return Err(BuildError::at("interval", "must be above zero")),
        Some(_) if value.get("rate").is_some() => {
            return Err(BuildError::at("interval", "give `rate` or `interval`, not both"));
        }
        None if parameters.rate.is_zero() => return Err(BuildError::at("rate", "must be above zero")),
        _ => {}
    }
    Ok(FlowApplications {
        from: Box::new(Cbr::new(&parameters, context.remote, traffic_class)),
        to: Some(Box::new(UdpSink::new(context.remote.port))),
    })
}

fn build_on_off(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let parameters: OnOffParameters = parameters(value)?;
    let traffic_class = udp(context, "on-off")?;
    check_payload(parameters.payload)?;
    if parameters.rate.is_zero() {
        return Err(BuildError::at("rate", "must be above zero"));
    }
    if parameters.on.is_zero() {
        return Err(BuildError::at("on", "must be above zero"));
    }
    Ok(FlowApplications {
        from: Box::new(OnOff::new(&parameters, context.remote, traffic_class, (context.random)("on-off"))),
        to: Some(Box::new(UdpSink::new(context.remote.port))),
    })
}

fn build_ping(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let parameters: PingParameters = parameters(value)?;
    if parameters.interval.is_zero() {
        return Err(BuildError::at("interval", "must be above zero"));
    }
    if parameters.payload.get() > 65_000 {
        return Err(BuildError::at("payload", "must be at most 65000 bytes"));
    }
    check_dscp(parameters.dscp)?;
    Ok(FlowApplications { from: Box::new(Ping::new(&parameters, context.remote.address)), to: None })
}

fn build_segments(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let parameters: SegmentsParameters = parameters(value)?;
    let options = tcp(context, "segments")?;
    if parameters.size == Bytes::ZERO {
        return Err(BuildError::at("size", "must be above zero"));
    }
    if parameters.interval.is_zero() {
        return Err(BuildError::at("interval", "must be above zero"));
    }
    Ok(FlowApplications {
        from: Box::new(Segments::new(&parameters, context.remote, options.clone())),
        to: Some(Box::new(TcpSink::new(context.remote.port, options))),
    })
}

fn build_web(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let parameters: WebParameters = parameters(value)?;
    let options = tcp(context, "web")?;
    let positive = |x: f64| x.is_finite() && x > 0.0;
    if !positive(parameters.transfers_per_second) || parameters.transfers_per_second > 1e6 {
        return Err(BuildError::at("transfers_per_second", "must be above zero and at most a million"));
    }
    if !positive(parameters.shape) {
        return Err(BuildError::at("shape", "must be above zero"));
    }
    if parameters.min_size == Bytes::ZERO || parameters.min_size > parameters.max_size {
        return Err(BuildError::at("min_size", "must be above zero and at most `max_size`"));
    }
    let (arrivals, sizes) = ((context.random)("arrivals"), (context.random)("sizes"));
    Ok(FlowApplications {
        from: Box::new(Web::new(&parameters, context.remote, options.clone(), arrivals, sizes)),
        to: Some(Box::new(TcpSink::new(context.remote.port, options))),
    })
}

fn build_dash(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let DashParameters { content, player, title }: DashParameters = parameters(value)?;
    let options = tcp(context, "dash")?;
    let titles = content.titles(context.files, context.random).map_err(|error| error.under("content"))?;
    let setup =
        player.setup(&titles, context.server, options.clone()).map_err(|error| error.under("player"))?;
    let place = (title.0 as usize).checked_sub(1).and_then(|place| titles.get(place));
    let Some(own) = place.cloned() else {
        let message = format!("there is no title {}: the catalogue has {}", title.0, titles.len());
        return Err(BuildError::at("title", message));
    };
    Ok(FlowApplications {
        from: Box::new(DashServer::new(context.server.port, options, titles, true)),
        to: Some(Box::new(DashClient::new(setup, own))),
    })
}

fn build_dash_load(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let own: DashLoadParameters = parameters(value)?;
    let options = tcp(context, "dash-load")?;
    let load = own.load()?;
    let titles = own.content.titles(context.files, context.random).map_err(|error| error.under("content"))?;
    let setup =
        own.player.setup(&titles, context.server, options.clone()).map_err(|error| error.under("player"))?;
    let (steps, choice) = ((context.random)("steps"), (context.random)("titles"));
    Ok(FlowApplications {
        from: Box::new(DashServer::new(context.server.port, options, titles.clone(), false)),
        to: Some(Box::new(DashLoad::new(setup, titles, load, steps, choice))),
    })
}

fn build_conference(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let parameters: ConferenceParameters = parameters(value)?;
    let traffic_class = udp(context, "conference")?;
    parameters.validate()?;
    let sizes = (context.random)("frames");
    Ok(FlowApplications {
        from: Box::new(ConferenceSender::new(&parameters, context.remote, traffic_class, sizes)),
        to: Some(Box::new(ConferenceReceiver::new(&parameters, context.remote.port))),
    })
}

fn build_haptic(value: &Value, context: &FlowContext<'_>) -> Result<FlowApplications, BuildError> {
    let parameters: HapticParameters = parameters(value)?;
    let traffic_class = udp(context, "haptic")?;
    check_payload(parameters.payload)?;
    parameters.validate()?;
    let signal = (context.random)("signal");
    Ok(FlowApplications {
        from: Box::new(HapticSender::new(&parameters, context.remote, traffic_class, signal)),
        to: Some(Box::new(HapticReceiver::new(&parameters, context.remote.port))),
    })
}

fn tcp(context: &FlowContext<'_>, application: &str) -> Result<TcpOptions, BuildError> {
    match context.transport {
        FlowTransport::Tcp(options) => Ok(options.clone()),
        FlowTransport::Udp { .. } | FlowTransport::Octopus(_) => {
            Err(BuildError::at("kind", format!("`{application}` runs over transport `tcp`")))
        }
    }
}

fn udp(context: &FlowContext<'_>, application: &str) -> Result<u8, BuildError> {
    match context.transport {
        FlowTransport::Udp { traffic_class } => Ok(*traffic_class),
        FlowTransport::Tcp(_) | FlowTransport::Octopus(_) => {
            Err(BuildError::at("kind", format!("`{application}` runs over transport `udp`")))
        }
    }
}

fn check_payload(payload: Bytes) -> Result<(), BuildError> {
    if (ProbeHead::LENGTH as u64..=65_000).contains(&payload.get()) {
        Ok(())
    } else {
        Err(BuildError::at("payload", "must be from 16 bytes (a sequence number and a time) to 65000 bytes"))
    }
}

fn check_dscp(dscp: u8) -> Result<(), BuildError> {
    if dscp < 64 { Ok(()) } else { Err(BuildError::at("dscp", "must be from 0 to 63")) }
}
