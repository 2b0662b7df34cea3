//! Each verdict, by rows made by hand.

use jettison_report::{RunKey, RunValue};

use super::*;

fn paper(rows: &str) -> Paper {
    Paper::parse("test", &format!("paper = 'p'\nexperiment = 'e'\n{rows}")).unwrap()
}

/// A run whose object `o` has the metric `m`.
fn run(variant: &str, seed: u64, mean: f64) -> RunSummary {
    let value = RunValue {
        object: "o".to_owned(),
        metric: "m".to_owned(),
        unit: "x".to_owned(),
        part: String::new(),
        mean,
        percentiles: None,
    };
    RunSummary::new(RunKey { variant: variant.to_owned(), seed }, vec![value])
}

fn runs(values: &[(&str, &[f64])]) -> Vec<RunSummary> {
    let of = |(variant, values): &(&str, &[f64])| {
        values.iter().zip(1..).map(|(value, seed)| run(variant, seed, *value)).collect::<Vec<_>>()
    };
    values.iter().flat_map(of).collect()
}

/// The verdict on the last row.
fn judge_all(toml: &str, values: &[(&str, &[f64])]) -> ReproductionRow {
    rows(&paper(toml), &runs(values)).into_iter().next_back().unwrap()
}

fn judge(toml: &str, a: &[f64], b: &[f64]) -> ReproductionRow {
    judge_all(toml, &[("a", a), ("b", b)])
}

fn verdict(toml: &str, a: &[f64], b: &[f64]) -> Verdict {
    judge(toml, a, b).verdict
}

const RATIO: &str = "[[row]]\nfigure='f'\nmetric='m'\nunit='x'\nvalue=2.5\nexact='text'\nneutral=1.0\n\
    ours={variant='a',object='o',metric='m'}\nover={variant='b',object='o',metric='m'}\n";

/// A gain of 40 %.
const GAIN: &str = "[[row]]\nfigure='f'\nmetric='m'\nunit='%'\nvalue=40.0\nexact='text'\nneutral=0.0\n\
    scale=100.0\noffset=-100.0\n\
    ours={variant='a',object='o',metric='m'}\nover={variant='b',object='o',metric='m'}\n";

fn plain(value: f64) -> String {
    format!(
        "[[row]]\nfigure='f'\nmetric='m'\nunit='ms'\nvalue={value:?}\nexact='text'\n\
        ours={{variant='a',object='o',metric='m'}}\n"
    )
}

/// A row of the series `s`.
fn step(variant: &str, value: f64, more: &str) -> String {
    format!(
        "[[row]]\nfigure='{variant}'\nseries='s'\nmetric='m'\nunit='x'\nvalue={value:?}\nexact='text'\n\
        ours={{variant='{variant}',object='o',metric='m'}}\n{more}\n"
    )
}

#[test]
fn ratios_are_taken_seed_by_seed() {
    let outcome = judge(RATIO, &[2.0, 9.0], &[1.0, 3.0]);
    assert_eq!(outcome.ours, Some(2.5));
}

#[test]
fn an_interval_with_no_effect_and_the_papers_value_is_unclear() {
    // Ratios 0.9, 2.0 and 2.2: mean 1.7, interval about 0 to 3.4.
    let open = judge(RATIO, &[0.9, 2.0, 2.2], &[1.0; 3]);
    assert_eq!(open.verdict, Verdict::Unclear);
    assert!(open.note.contains("no effect and the paper's value"), "{}", open.note);
    // The paper's value is outside: 0.9, 1.0 and 1.1.
    assert_eq!(verdict(RATIO, &[0.9, 1.0, 1.1], &[1.0; 3]), Verdict::Contradicts);
}

#[test]
fn ours_agrees_within_the_tolerance() {
    assert_eq!(verdict(RATIO, &[2.3, 2.3], &[1.0, 1.0]), Verdict::Agrees);
    assert_eq!(verdict(RATIO, &[2.74, 2.74], &[1.0, 1.0]), Verdict::Agrees);
    assert_eq!(verdict(RATIO, &[2.2, 2.2], &[1.0, 1.0]), Verdict::SameDirection);
    assert_eq!(verdict(&plain(5.0), &[5.4, 5.4], &[]), Verdict::Agrees);
}

#[test]
fn an_interval_that_holds_the_papers_value_agrees_unless_it_is_too_wide() {
    let narrow = judge(RATIO, &[2.1, 2.2, 2.3], &[1.0; 3]);
    assert!(narrow.ci95.unwrap()[1] < 2.5 && narrow.verdict == Verdict::SameDirection, "{narrow:?}");
    let fitting = judge(RATIO, &[1.8, 2.1, 2.4], &[1.0; 3]);
    assert!(fitting.ci95.unwrap()[1] > 2.5 && fitting.verdict == Verdict::Agrees, "{fitting:?}");
    // Wider than the value, although above 1 in all of it.
    let wide = judge(RATIO, &[2.0, 3.0, 4.6], &[1.0; 3]);
    let [low, high] = wide.ci95.unwrap();
    assert!(low < 1.0 && high - low > 2.5 && wide.verdict == Verdict::Unclear, "{wide:?}");
    assert!(wide.note.starts_with("Our interval includes no effect and the paper's value."), "{wide:?}");
    // The mean is the paper's, the interval says nothing.
    let lucky = judge(&plain(5.0), &[1.0, 9.0], &[]);
    assert_eq!((lucky.ours, lucky.verdict), (Some(5.0), Verdict::SameDirection));
    assert_eq!(lucky.note, "Our interval is wider than the paper's value.");
}

#[test]
fn a_number_agrees_only_if_the_papers_sentence_holds() {
    let hardly = RATIO.replace("2.5", "1.05");
    assert_eq!(verdict(&hardly, &[1.04, 1.06], &[1.0; 2]), Verdict::Unclear, "1.05 ± 0.13");
    assert_eq!(verdict(&hardly, &[1.049, 1.051], &[1.0; 2]), Verdict::Agrees);
    let below = judge(&hardly, &[0.98, 0.981], &[1.0; 2]);
    assert_eq!((below.verdict, below.note.as_str()), (Verdict::Contradicts, "Other direction."));
}

#[test]
fn the_effect_of_a_ratio_is_its_logarithm() {
    // ln 2.5 is 0.916: half of it is ln 1.58, and twice ln 6.25.
    for (ours, expected) in [
        (1.5, Verdict::Weaker),
        (1.59, Verdict::SameDirection),
        (6.2, Verdict::SameDirection),
        (6.3, Verdict::Stronger),
        (0.5, Verdict::Contradicts),
        (1.0, Verdict::Contradicts),
    ] {
        let outcome = judge(RATIO, &[ours, ours], &[1.0, 1.0]);
        assert_eq!(outcome.verdict, expected, "{ours}");
    }
    let outcome = judge(RATIO, &[1.5, 1.5], &[1.0, 1.0]);
    assert!((outcome.effect.unwrap() - 0.4425).abs() < 1e-3, "{outcome:?}");
    // The same below 1: less than 0.5² is stronger.
    let less = RATIO.replace("2.5", "0.5");
    assert_eq!(verdict(&less, &[0.24, 0.24], &[1.0; 2]), Verdict::Stronger);
    assert_eq!(verdict(&less, &[0.26, 0.26], &[1.0; 2]), Verdict::SameDirection);
    assert_eq!(verdict(&less, &[0.9, 0.9], &[1.0; 2]), Verdict::Weaker);
    // Nothing at all has no logarithm, and is stronger than any.
    let nothing = judge(&less, &[0.0, 0.0], &[1.0; 2]);
    assert_eq!((nothing.verdict, nothing.effect), (Verdict::Stronger, None));
}

#[test]
fn the_effect_of_a_gain_is_its_difference_from_no_effect() {
    for (ours, expected) in [
        (1.19, Verdict::Weaker),
        (1.21, Verdict::SameDirection),
        (1.41, Verdict::Agrees),
        (1.79, Verdict::SameDirection),
        (1.81, Verdict::Stronger),
        (0.9, Verdict::Contradicts),
    ] {
        assert_eq!(verdict(GAIN, &[ours, ours], &[1.0, 1.0]), expected, "{ours}");
    }
}

#[test]
fn the_effect_of_a_plain_quantity_is_its_distance_from_zero() {
    let row = plain(465.0);
    for (ours, expected) in
        [(6.9, Verdict::Weaker), (240.0, Verdict::SameDirection), (940.0, Verdict::Stronger)]
    {
        assert_eq!(verdict(&row, &[ours, ours], &[]), expected, "{ours}");
    }
    let none = judge(&row, &[0.0, 0.0], &[]);
    assert_eq!((none.verdict, none.note.as_str()), (Verdict::Contradicts, "No effect in ours."));
    assert_eq!(verdict(&plain(-3.0), &[3.0, 3.0], &[]), Verdict::Contradicts);
}

#[test]
fn no_loss_is_contradicted_by_any() {
    assert_eq!(verdict(&plain(0.0), &[0.0, 0.0], &[]), Verdict::Agrees);
    assert_eq!(verdict(&plain(0.0), &[0.2, 0.21], &[]), Verdict::Contradicts);
    assert_eq!(verdict(&plain(0.0), &[0.0, 0.2], &[]), Verdict::SameDirection, "perhaps none");
}

#[test]
fn a_note_says_why_a_sentence_does_not_hold() {
    let explained = format!("{RATIO}note='As expected.'\n");
    assert_eq!(judge(&explained, &[0.5, 0.51], &[1.0; 2]).note, "Other direction. As expected.");
    let none = judge(&explained, &[0.99, 1.02], &[1.0; 2]);
    assert_eq!(none.verdict, Verdict::Contradicts);
    assert_eq!(none.note, "Our interval includes no effect. As expected.");
    let vague = judge(&explained, &[0.5, 1.9], &[1.0; 2]);
    assert_eq!(vague.verdict, Verdict::Unclear);
    assert_eq!(vague.note, "Our interval includes no effect and the paper's value. As expected.");
    assert_eq!(judge(&explained, &[2.5, 2.5], &[1.0; 2]).note, "As expected.");
}

#[test]
fn a_claim_without_a_number_has_a_direction_and_no_size() {
    let claim = RATIO.replace("'text'", "'direction'");
    let weak = judge(&claim, &[1.1, 1.1], &[1.0, 1.0]);
    assert_eq!((weak.verdict, weak.nominal, weak.paper_value), (Verdict::SameDirection, true, Some(2.5)));
    assert_eq!((weak.ratio, weak.effect), (None, None));
    assert_eq!(weak.paper_text(), "(> 1)");
    assert_eq!(verdict(&claim, &[2.5, 2.5], &[1.0, 1.0]), Verdict::SameDirection);
    assert_eq!(verdict(&claim, &[25.0, 25.0], &[1.0, 1.0]), Verdict::SameDirection);
    assert_eq!(verdict(&claim, &[1.0, 1.0], &[1.0, 1.0]), Verdict::Contradicts);
    assert_eq!(verdict(&claim, &[0.5, 0.5], &[1.0, 1.0]), Verdict::Contradicts);
    let open = judge(&claim, &[0.9, 1.2], &[1.0, 1.0]);
    assert_eq!((open.verdict, open.note.as_str()), (Verdict::Unclear, "Our interval includes no effect."));
    assert_eq!(verdict(&claim, &[1.01, 1.5], &[1.0, 1.0]), Verdict::Unclear, "perhaps no difference");
    assert_eq!(verdict(&claim, &[1.1], &[1.0]), Verdict::SameDirection, "one seed has no interval");
    assert!(!judge(RATIO, &[2.5], &[1.0]).nominal);
}

#[test]
fn no_penalty_holds_if_ours_is_small_or_perhaps_none() {
    let equal = RATIO.replace("value=2.5", "value=1.0\nsentence='equal'");
    assert_eq!(verdict(&equal, &[1.04, 1.041], &[1.0; 2]), Verdict::Agrees, "within 10 %");
    assert_eq!(verdict(&equal, &[0.95, 1.1], &[1.0; 2]), Verdict::SameDirection, "an interval wider than 1");
    let more = judge(&equal, &[1.2, 1.21], &[1.0; 2]);
    assert_eq!(more.verdict, Verdict::Contradicts);
    assert_eq!(more.note, "An effect in ours where the paper has none.");
    let words = equal.replace("'text'", "'direction'");
    assert_eq!(verdict(&words, &[1.04, 1.041], &[1.0; 2]), Verdict::SameDirection);
    assert_eq!(judge(&words, &[1.04, 1.041], &[1.0; 2]).paper_text(), "(= 1)");
    assert_eq!(verdict(&words, &[1.2, 1.21], &[1.0; 2]), Verdict::Contradicts);
}

#[test]
fn a_row_of_a_series_is_judged_by_its_change() {
    let falling = format!("{}{}", step("b", 100.0, ""), step("a", 50.0, ""));
    assert_eq!(verdict(&falling, &[6.0, 6.1], &[10.0, 10.1]), Verdict::SameDirection);
    assert_eq!(verdict(&falling, &[8.0, 8.1], &[10.0, 10.1]), Verdict::Weaker);
    assert_eq!(verdict(&falling, &[1.0, 1.1], &[10.0, 10.1]), Verdict::Stronger);
    let rising = judge(&falling, &[12.0, 12.1], &[10.0, 10.1]);
    assert_eq!((rising.verdict, rising.note.as_str()), (Verdict::Contradicts, "Other direction."));
    assert_eq!(verdict(&falling, &[9.9, 10.2], &[10.0, 10.2]), Verdict::Contradicts, "by chance");
    // The number agrees whatever the reference row has.
    assert_eq!(verdict(&falling, &[50.0, 50.1], &[10.0, 10.2]), Verdict::Agrees);
    // Seeds are paired: each falls by half, although they differ more among themselves.
    assert_eq!(verdict(&falling, &[1.0, 5.0], &[2.0, 10.0]), Verdict::SameDirection);
    // A zero has no logarithm: the difference is judged, 8 of 50.
    assert_eq!(verdict(&falling, &[0.0, 0.0], &[8.0, 8.0]), Verdict::Weaker);
    // What did not run tells no change, unless the number itself agrees.
    assert_eq!(verdict(&falling, &[6.0, 6.1], &[]), Verdict::NotRun);
    assert_eq!(verdict(&falling, &[50.0, 50.1], &[]), Verdict::Agrees);
}

#[test]
fn a_series_may_declare_its_reference_row() {
    let rows =
        |more: &str| format!("{}{}{}", step("a", 10.0, ""), step("b", 20.0, more), step("c", 10.0, ""));
    let values: [(&str, &[f64]); 3] = [("a", &[4.0]), ("b", &[6.0]), ("c", &[4.0])];
    // From the first row to the last: no change, as in the paper. From the middle one: a fall, and less of one.
    assert_eq!(judge_all(&rows(""), &values).verdict, Verdict::SameDirection);
    assert_eq!(judge_all(&rows("reference=true"), &values).verdict, Verdict::SameDirection);
    let flat: [(&str, &[f64]); 3] = [("a", &[4.0]), ("b", &[4.0]), ("c", &[4.0])];
    assert_eq!(judge_all(&rows(""), &flat).verdict, Verdict::SameDirection);
    assert_eq!(judge_all(&rows("reference=true"), &flat).verdict, Verdict::Contradicts);
}

#[test]
fn a_monotone_series_has_no_step_back() {
    let last = step("c", 400.0, "sentence='monotone'");
    let rows = format!("{}{}{last}", step("a", 100.0, ""), step("b", 200.0, ""));
    assert_eq!(
        judge_all(&rows, &[("a", &[1.0]), ("b", &[2.0]), ("c", &[3.0])]).verdict,
        Verdict::SameDirection
    );
    let back = judge_all(&rows, &[("a", &[1.0]), ("b", &[4.0]), ("c", &[3.0])]);
    assert_eq!(back.verdict, Verdict::Contradicts);
    assert_eq!(back.note, "A step of the series goes in the other direction.");
}

#[test]
fn what_did_not_run_is_not_judged() {
    let outcome = judge(&format!("{RATIO}note='n'\n"), &[], &[1.0]);
    assert_eq!((outcome.ours, outcome.verdict), (None, Verdict::NotRun));
    assert_eq!(outcome.note, "no value of ours: variant `a` did not run");
    let divisor = judge(RATIO, &[1.0], &[0.0]);
    assert_eq!(
        (divisor.verdict, divisor.note.as_str()),
        (Verdict::NotRun, "no value of ours: the value to divide by is 0")
    );
    let other = judge(&RATIO.replace("object='o'", "object='x'"), &[1.0], &[1.0]);
    assert_eq!(other.verdict, Verdict::NotRun);
    assert_eq!(other.note, "no value of ours: `m` of `x` was not measured in variant `a`");
    let apart = [run("a", 1, 1.0), run("b", 2, 1.0)];
    let outcome = rows(&paper(RATIO), &apart).remove(0);
    assert_eq!(
        (outcome.verdict, outcome.note.as_str()),
        (Verdict::NotRun, "no value of ours: no seed ran in both variants")
    );
}

#[test]
fn a_quantity_that_the_paper_does_not_state_has_no_verdict() {
    let row = plain(1.0).replace("value=1.0\nexact='text'", "exact='none'");
    let outcome = judge(&row, &[3.0], &[]);
    assert_eq!((outcome.verdict, outcome.paper_value, outcome.ours), (Verdict::NoValue, None, Some(3.0)));
    assert_eq!(verdict(&row, &[], &[]), Verdict::NotRun);
}

#[test]
fn rows_whose_keys_do_not_fit_are_refused() {
    let refused = |rows: &str| {
        let error =
            Paper::parse("f", &format!("paper = 'p'\nexperiment = 'e'\n{rows}")).unwrap_err().to_string();
        error.strip_prefix("f: row `f`: ").unwrap_or(&error).to_owned()
    };
    let direction = RATIO.replace("'text'", "'direction'");
    for (rows, message) in [
        (RATIO.replace("value=2.5\n", ""), "`value` is required unless `exact` is \"direction\" or \"none\""),
        (RATIO.replace("'text'", "'none'"), "`exact = \"none\"` excludes `value`"),
        (direction.replace("neutral=1.0\n", ""), "`exact = \"direction\"` requires `neutral` or `series`"),
        (direction.replace("2.5", "1.0"), "a direction whose `value` is `neutral` requires `sentence`"),
        (
            format!("{RATIO}series='s'"),
            "`neutral` and `series` exclude each other: a row is compared with one thing",
        ),
        (
            format!("{RATIO}sentence='less'"),
            "`value` 2.5 is on the other side of `neutral` 1 than `sentence = \"less\"` says",
        ),
        (
            format!("{}sentence='less'", plain(1.0)),
            "`sentence` other than \"equal\" requires `neutral` or `series`",
        ),
        (format!("{RATIO}sentence='monotone'"), "`sentence = \"monotone\"` requires `series` and `value`"),
        (format!("{}reference=true", plain(1.0)), "`reference` requires `series`"),
        (format!("{RATIO}tolerance=-0.1"), "`tolerance` must be >= 0, got -0.1"),
        (step("a", 1.0, "reference=true").repeat(2), "f: series `s` must have at most one reference row"),
    ] {
        assert_eq!(refused(&rows), message);
    }
}

#[test]
fn a_pick_of_several_objects_is_their_mean() {
    let of = |object: &str, mean: f64, percentiles| RunValue {
        object: object.to_owned(),
        metric: "owd".to_owned(),
        unit: "ms".to_owned(),
        part: String::new(),
        mean,
        percentiles,
    };
    let values = vec![
        of("video.1", 2.0, Some([1.0, 2.0, 8.0])),
        of("video.2", 4.0, Some([1.0, 2.0, 4.0])),
        of("blast", 90.0, None),
    ];
    let key = RunKey { variant: "a".to_owned(), seed: 1 };
    let run = RunSummary::new(key, values);
    let pick = |object: &str, statistic| Pick {
        variant: "a".to_owned(),
        object: object.to_owned(),
        metric: "owd".to_owned(),
        statistic,
    };
    assert_eq!(pick("video.*", Statistic::Mean).value_in(&run), Some(3.0));
    assert_eq!(pick("video.*", Statistic::P99).value_in(&run), Some(6.0));
    assert_eq!(pick("video.1", Statistic::Mean).value_in(&run), Some(2.0));
    assert_eq!(pick("blast", Statistic::P99).value_in(&run), None, "it has no percentiles");
    assert_eq!(pick("tcp.*", Statistic::Mean).value_in(&run), None);
}
