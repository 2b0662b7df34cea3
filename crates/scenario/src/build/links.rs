//! Links: carriers, propagation, loss, and the queues of their senders.

use jettison_core::{RandomStream, Seed};
use jettison_link::cellular::{Numbering, PdcpParameters, UserPlane};
use jettison_link::{FixedRate, Impairments, LinkModel, Loss, Propagation, Schedule, TraceLink};
use jettison_queue::entry::BuildContext;
use jettison_queue::{Numbered, PduSetDiscard, QueueDiscipline};
use jettison_sim::{Carrier, DirectionSpec, LinkSpec};
use jettison_switch::PortHooks;

use super::{BuildFailure, BuildOptions, Builder, Plan, part};
use crate::inputs::Contents;
use crate::schema::{self, DirectionSettings, Settings};

impl Builder {
    pub(super) fn link(
        &self,
        name: &str,
        plan: &Plan<'_>,
        options: &BuildOptions,
    ) -> Result<LinkSpec, BuildFailure> {
        let link = &plan.settings.links[name];
        let node = |end: &String| {
            plan.nodes
                .get(end.as_str())
                .copied()
                .ok_or_else(|| part(&["links", name, "between"], format!("unknown node `{end}`")))
        };
        // A profile's rate, delay and loss are in the settings only if the check has read its file.
        for profile in [true, false].into_iter().filter_map(|forward| link.profile_of(forward)) {
            if profile.read.is_none() {
                let message = "was not read when the scenario was checked".to_owned();
                return Err(BuildFailure::File { file: profile.file.clone(), message });
            }
        }
        let direction = |which: &str, forward: bool| {
            self.direction(name, which, plan.settings.direction(link, forward), plan, options)
        };
        Ok(LinkSpec {
            ends: [node(&link.between[0])?, node(&link.between[1])?],
            forward: direction("forward", true)?,
            reverse: direction("reverse", false)?,
        })
    }

    fn direction(
        &self,
        link: &str,
        which: &str,
        settings: DirectionSettings,
        plan: &Plan<'_>,
        options: &BuildOptions,
    ) -> Result<DirectionSpec, BuildFailure> {
        let random = |stream: &str| plan.seed.stream(&["links", link, which, stream]);
        let carrier = self.carrier(link, &settings, plan.contents)?;
        let carrier = match &settings.cellular {
            None => carrier,
            Some(cellular) => {
                let model: Box<dyn LinkModel> = match carrier {
                    Carrier::Fixed(fixed) => Box::new(fixed),
                    Carrier::Other(other) | Carrier::Cellular(other, _) => other,
                };
                let stream = |name: &str| random(&format!("cellular-{name}"));
                let plane = UserPlane::new(cellular, model.clone(), &stream)
                    .map_err(|error| part(&["links", link, "cellular"], error))?;
                Carrier::Cellular(model, Box::new(plane))
            }
        };
        let in_order = |error| part(&["links", link, "changes"], error);
        // Rate, delay and loss change independently; each model has its own schedule.
        let delays = settings.changes.iter().filter_map(|change| Some((change.at, change.delay?)));
        let delays = Schedule::new(settings.delay, delays.collect()).map_err(in_order)?;
        let (queue, hooks) = self.queue(link, &settings, &random)?;
        Ok(DirectionSpec {
            name: format!("{link}.{which}"),
            carrier,
            propagation: Propagation::scheduled(delays),
            loss: loss(link, &settings, &|name| random(&format!("loss-{name}")))?,
            impairments: impairments(link, &settings, &|name| random(&format!("impairment-{name}")))?,
            queue,
            hooks,
            tapped: settings.pcap || options.tap_all,
        })
    }

    /// The model of one direction of a link alone: what it carries, and when.
    pub fn link_model(
        &self,
        settings: &Settings,
        contents: &Contents,
        link: &str,
        forward: bool,
    ) -> Result<Box<dyn LinkModel>, BuildFailure> {
        let found =
            settings.links.get(link).ok_or_else(|| part(&["links"], format!("unknown link `{link}`")))?;
        Ok(match self.carrier(link, &settings.direction(found, forward), contents)? {
            Carrier::Fixed(fixed) => Box::new(fixed),
            Carrier::Other(other) | Carrier::Cellular(other, _) => other,
        })
    }

    fn carrier(
        &self,
        link: &str,
        settings: &DirectionSettings,
        contents: &Contents,
    ) -> Result<Carrier, BuildFailure> {
        // The check has the same limit: packet sizes with overhead must not overflow.
        let overhead = u16::try_from(settings.overhead.get())
            .map_err(|_| part(&["links", link, "overhead"], "must be <= 65535 bytes"))?;
        let overhead = u32::from(overhead);
        let in_order = |error| part(&["links", link, "changes"], error);
        Ok(match &settings.carrier {
            schema::Carrier::Rate(rate) => {
                let changes = settings.changes.iter().filter_map(|change| Some((change.at, change.rate?)));
                let schedule = Schedule::new(*rate, changes.collect()).map_err(in_order)?;
                Carrier::Fixed(FixedRate::scheduled(schedule).with_overhead(overhead))
            }
            schema::Carrier::Trace(trace) => {
                let trace = self.trace(contents, &trace.file)?;
                Carrier::Other(Box::new(TraceLink::new(trace).with_overhead(overhead)))
            }
            schema::Carrier::Cell(cell) => {
                let grants = cell.read.clone().ok_or_else(|| BuildFailure::File {
                    file: cell.file.file.clone(),
                    message: "was not read when the scenario was checked".to_owned(),
                })?;
                let cell = cell.file.link(grants).map_err(|error| part(&["links", link, "cell"], error))?;
                Carrier::Other(Box::new(cell.with_overhead(overhead)))
            }
        })
    }

    /// A new queue of one direction of a link, and its port hooks if it acts in the switch pipeline. Its random numbers are not
    /// those of the queue that the direction has at the start.
    #[allow(clippy::type_complexity)] // as `queue`
    pub fn queue_of(
        &self,
        settings: &Settings,
        link: &str,
        forward: bool,
        seed: u64,
    ) -> Result<(Box<dyn QueueDiscipline>, Option<Box<dyn PortHooks>>), BuildFailure> {
        let found =
            settings.links.get(link).ok_or_else(|| part(&["links"], format!("unknown link `{link}`")))?;
        let which = if forward { "forward" } else { "reverse" };
        let random = |stream: &str| Seed(seed).stream(&["links", link, which, "replacement", stream]);
        self.queue(link, &settings.direction(found, forward), &random)
    }

    /// The queue of a direction, and its port hooks if it acts in the switch pipeline.
    #[allow(clippy::type_complexity)] // a pair used by two callers
    pub(super) fn queue(
        &self,
        link: &str,
        settings: &DirectionSettings,
        random: &dyn Fn(&str) -> RandomStream,
    ) -> Result<(Box<dyn QueueDiscipline>, Option<Box<dyn PortHooks>>), BuildFailure> {
        let stream = |name: &str| random(&format!("queue-{name}"));
        let context = BuildContext { random: &stream, registry: &self.disciplines };
        let (kind, parameters) = (settings.queue.kind.as_str(), &settings.queue.parameters);
        let wrong = |error| part(&["links", link, "queue"], error);
        if let Some(entry) = self.port_queues.entry(kind) {
            let built = entry.build(parameters, &context).map_err(wrong)?;
            return Ok((with_pdcp(built.discipline, settings, random), Some(built.hooks)));
        }
        let queue = self.disciplines.build_from(kind, parameters, &context).map_err(wrong)?;
        Ok((with_pdcp(queue, settings, random), None))
    }
}

/// A queue with PDCP around it, if its link has one that acts before transmission.
fn with_pdcp(
    queue: Box<dyn QueueDiscipline>,
    settings: &DirectionSettings,
    random: &dyn Fn(&str) -> RandomStream,
) -> Box<dyn QueueDiscipline> {
    let Some(PdcpParameters { numbering, discard_timer, pdu_sets, .. }) =
        settings.cellular.as_ref().map(|cellular| &cellular.pdcp)
    else {
        return queue;
    };
    let at_arrival = *numbering == Numbering::BeforeQueue;
    if !at_arrival && discard_timer.is_none() && pdu_sets.is_none() {
        return queue;
    }
    let numbered = Numbered::new(queue, at_arrival, *discard_timer);
    let Some(sets) = pdu_sets else { return Box::new(numbered) };
    let discard = PduSetDiscard {
        is_integrated: sets.psihi,
        low_importance: sets.low_importance,
        low_timer: sets.discard_timer_low,
        active_from: sets.active_from,
    };
    Box::new(numbered.with_pdu_sets(discard, random("pdu-sets").uniform(0, u64::MAX)))
}

fn impairments(
    link: &str,
    settings: &DirectionSettings,
    random: &dyn Fn(&str) -> RandomStream,
) -> Result<Option<Impairments>, BuildFailure> {
    if settings.impairments.is_none() {
        return Ok(None);
    }
    Impairments::new(&settings.impairments, settings.least_delay(), random)
        .map(Some)
        .map_err(|error| part(&["links", link], error))
}

fn loss(
    link: &str,
    settings: &DirectionSettings,
    random: &dyn Fn(&str) -> RandomStream,
) -> Result<Option<Loss>, BuildFailure> {
    let parameters = settings.loss_parameters();
    if parameters.is_none() {
        return Ok(None);
    }
    Loss::new(&parameters, random).map(Some).map_err(|error| part(&["links", link, "loss"], error))
}
