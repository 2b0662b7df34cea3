//! DualPI2 as `tc` writes it: tc-dualpi2(8).

use jettison_registry::ParameterError;

use super::{AqmAt, DualPi2Parameters, Ect, Overload, Preset, Scheduler};
use crate::{Qdisc, QdiscContext};

/// Linux's `dualpi2`. What the manual page has no word for is refused, or noted where it matters little.
pub(super) fn qdisc(
    parameters: DualPi2Parameters,
    context: &QdiscContext<'_>,
) -> Result<Qdisc, ParameterError> {
    parameters.check()?;
    let refused = |holds: bool, key: &str, message: &str| {
        ParameterError::unless(holds, key, || format!("must be {message} for `tc`"))
    };
    refused(parameters.scheduler == Scheduler::Wrr, "scheduler", "\"wrr\"")?;
    refused(parameters.l_dscp.is_empty(), "l_dscp", "empty: Linux takes L's other packets from filters,")?;
    let factor = parameters.k.fract() == 0.0 && (1.0..=255.0).contains(&parameters.k);
    refused(factor, "k", "a whole number from 1 to 255")?;
    let percent = parameters.classic_share * 100.0;
    let protection = percent.round().clamp(1.0, 99.0);
    // Linux has a step in place of the ramp.
    let step = parameters.min_th.saturating_add(parameters.range / 2);
    let linux = DualPi2Parameters::preset(Preset::Linux);
    let in_packets = step.is_zero() && parameters.th_len > 0;
    let mut qdisc = Qdisc::new("dualpi2")
        .packet_limit(parameters.limit, context)
        .time("target", "target", parameters.target)?
        .time("tupdate", "t_update", parameters.t_update)?
        .option("alpha", parameters.alpha.get())
        .option("beta", parameters.beta.get())
        .option("coupling_factor", parameters.k)
        .option("classic_protection", format!("{protection}%"));
    qdisc = if in_packets {
        qdisc.option("step_thresh", format!("{}p", parameters.th_len))
    } else {
        qdisc.time("step_thresh", "min_th", step)?.option("min_qlen_step", parameters.th_len)
    };
    Ok(qdisc
        .word(match parameters.overload {
            Overload::Drop => "drop_on_overload",
            Overload::Overflow => "overflow",
        })
        .word(match parameters.aqm_at {
            AqmAt::Dequeue => "drop_dequeue",
            AqmAt::Enqueue => "drop_enqueue",
        })
        .word(match parameters.ect {
            Ect::L4s => "l4s_ect",
            Ect::Any => "any_ect",
        })
        .word("split_gso")
        .note_if(
            !parameters.range.is_zero(),
            "range: Linux has a step in place of the ramp, here at its middle",
        )
        .note_if(
            (percent - protection).abs() > 1e-9,
            "classic_share: Linux's classic_protection is in whole per cent",
        )
        .note_if(
            parameters.min_backlog != linux.min_backlog,
            "min_backlog: by RFC 9332 Linux gives no signals below two MTUs, whatever is set here",
        )
        .note_if(true, "dualpi2 is by its manual page: no kernel with it was at hand to test the command"))
}
