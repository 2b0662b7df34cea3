//! Programs for PSA: the package, its blocks, and the rules for objects.

use super::{elaborated, errors, warnings};

/// The blocks of a program, by name, with the parameters that the architecture requires.
struct Blocks {
    top: &'static str,
    ingress_parser: String,
    ingress: String,
    ingress_deparser: String,
    egress_parser: String,
    egress: String,
    egress_deparser: String,
    main: String,
}

const INGRESS_PARSER: &str = "parser IP(packet_in p, out H h, inout M m, in psa_ingress_parser_input_metadata_t i, \
    in R r, in E c) { state start { p.extract(h.a); transition accept; } }";
const INGRESS_DEPARSER: &str = "control ID(packet_out p, out E c, out R r, out N n, inout H h, in M m, \
    in psa_ingress_output_metadata_t i) { apply { p.emit(h); } }";
const EGRESS_PARSER: &str = "parser EP(packet_in p, out H h, inout E m, in psa_egress_parser_input_metadata_t i, \
    in N n, in E c, in E d) { state start { p.extract(h.a); transition accept; } }";
const EGRESS: &str = "control EG(inout H h, inout E m, in psa_egress_input_metadata_t i, \
    inout psa_egress_output_metadata_t o) { apply { } }";
const EGRESS_DEPARSER: &str = "control ED(packet_out p, out E c, out E r, inout H h, in E m, \
    in psa_egress_output_metadata_t i, in psa_egress_deparser_input_metadata_t e) { apply { p.emit(h); } }";
const MAIN: &str = "IngressPipeline(IP(), IG(), ID()) ip; EgressPipeline(EP(), EG(), ED()) ep;
    PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;";

fn blocks(locals: &str, apply: &str) -> Blocks {
    Blocks {
        top: "",
        ingress_parser: INGRESS_PARSER.into(),
        ingress: format!(
            "control IG(inout H h, inout M m, in psa_ingress_input_metadata_t i, \
             inout psa_ingress_output_metadata_t o) {{ {locals} apply {{ {apply} }} }}"
        ),
        ingress_deparser: INGRESS_DEPARSER.into(),
        egress_parser: EGRESS_PARSER.into(),
        egress: EGRESS.into(),
        egress_deparser: EGRESS_DEPARSER.into(),
        main: MAIN.into(),
    }
}

impl Blocks {
    fn text(&self) -> String {
        format!(
            "#include <core.p4>
#include <psa.p4>
header A {{ bit<8> x; bit<8> y; bit<12> z; bit<4> w; }}
struct H {{ A a; }}
struct M {{ bit<8> m; bit<32> n; }}
struct N {{ bit<8> n; }}
struct R {{ bit<8> r; }}
struct E {{}}
{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
            self.top,
            self.ingress_parser,
            self.ingress,
            self.ingress_deparser,
            self.egress_parser,
            self.egress,
            self.egress_deparser,
            self.main
        )
    }
}

fn errors_in(locals: &str, apply: &str) -> Vec<String> {
    errors(&blocks(locals, apply).text())
}

#[test]
fn the_six_blocks_share_three_variables() {
    let program = elaborated(&blocks("", "h.a.x = m.m; send_to_port(o, (PortId_t) 1);").text());
    let psa = program.pipeline.psa.as_ref().expect("the package is PSA_Switch");
    assert_ne!(psa.parser, program.pipeline.parser);
    assert_ne!(psa.deparser, program.pipeline.deparser);
    let text = program.to_string();
    assert!(text.contains("headers#0.ingress.a.x = metadata#1.ingress.m"), "{text}");
    assert!(text.contains("reset metadata#1.normal_meta"), "an `out` parameter begins empty\n{text}");
    let list = &program.field_lists[psa.resubmit.index()];
    assert_eq!(list.places.len(), 1);
    assert!(warnings(&blocks("", "").text()).is_empty());
}

#[test]
fn the_package_has_its_arguments() {
    let of = |main: &str| errors(&Blocks { main: main.into(), ..blocks("", "") }.text());
    assert_eq!(
        of("IngressPipeline(IP(), IG(), ID()) ip; EgressPipeline(EP(), EG(), ED()) ep;
            PSA_Switch(ep, PacketReplicationEngine(), ip, BufferingQueueingEngine()) main;"),
        ["expected `IngressPipeline`, found `EgressPipeline`"]
    );
    assert_eq!(
        of("IngressPipeline(IP(), IG(), ID()) ip; EgressPipeline(EP(), EG(), ED()) ep;
            PSA_Switch(ip, BufferingQueueingEngine(), ep, PacketReplicationEngine()) main;"),
        ["expected `PacketReplicationEngine`, found `BufferingQueueingEngine`"]
    );
    assert_eq!(
        of("IngressPipeline(IP(), IG(), ID()) ip; PSA_Switch(ip, PacketReplicationEngine()) main;"),
        ["missing argument for the parameter `egress`"]
    );
    assert_eq!(
        of("IngressPipeline(IP(), IG()) ip; EgressPipeline(EP(), EG(), ED()) ep;
            PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;"),
        ["missing argument for the parameter `id`"]
    );
    assert_eq!(
        of("IngressPipeline(IP(), IG(), EG()) ip; EgressPipeline(EP(), EG(), ED()) ep;
            PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;"),
        ["the ingress deparser of PSA_Switch must have 7 parameters, found 4"]
    );
    assert_eq!(
        of("IngressPipeline(IG(), IP(), ID()) ip; EgressPipeline(EP(), EG(), ED()) ep;
            PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;"),
        [
            "expected an ingress parser for PSA_Switch, found `IG`",
            "expected an ingress control for PSA_Switch, found `IP`"
        ]
    );
    assert_eq!(
        of("IngressPipeline(IP(), IG(), ID()) main;"),
        ["unsupported package `IngressPipeline`; supported are V1Switch and PSA_Switch"]
    );
    assert_eq!(of(""), ["missing package instance `main`"]);
    // By name, in another order.
    elaborated(&Blocks {
        main: "IngressPipeline(id = ID(), ip = IP(), ig = IG()) ip; EgressPipeline(EP(), EG(), ED()) ep;
               PSA_Switch(bqe = BufferingQueueingEngine(), pre = PacketReplicationEngine(), ingress = ip, egress = ep) main;"
            .into(),
        ..blocks("", "")
    }
    .text());
}

#[test]
fn what_a_deparser_hands_over_has_the_type_that_the_parser_takes() {
    let wrong = EGRESS_PARSER.replace("in N n", "in R n");
    assert_eq!(
        errors(&Blocks { egress_parser: wrong, ..blocks("", "") }.text()),
        ["the parameter `n` must have the type `N`, found `R`"]
    );
    let wrong = INGRESS_DEPARSER.replace("inout H h", "inout A h");
    assert_eq!(
        errors(&Blocks { ingress_deparser: wrong, ..blocks("", "") }.text()),
        ["the parameter `h` must have the type `H`, found `A`"]
    );
    let wrong = EGRESS.replace("in psa_egress_input_metadata_t", "in psa_ingress_input_metadata_t");
    assert_eq!(
        errors(&Blocks { egress: wrong, ..blocks("", "") }.text()),
        [
            "the parameter `i` must have the type `psa_egress_input_metadata_t`, found `psa_ingress_input_metadata_t`"
        ]
    );
    let wrong = EGRESS_DEPARSER.replace("out E r", "in E r");
    assert_eq!(
        errors(&Blocks { egress_deparser: wrong, ..blocks("", "") }.text()),
        ["the parameter `r` of the egress deparser must be `out`"]
    );
    let wrong = INGRESS_PARSER.replace("packet_in p", "packet_out p");
    let found = errors(&Blocks { ingress_parser: wrong, ..blocks("", "") }.text());
    assert!(
        found.iter().any(|error| error == "the first parameter of the ingress parser must be the packet")
    );
}

#[test]
fn a_program_is_for_one_architecture() {
    let message = "psa.p4 and v1model.p4 are two architectures: include one of them";
    for text in ["#include <v1model.p4>\n#include <psa.p4>\n", "#include <psa.p4>\n#include <v1model.p4>\n"] {
        let found = errors(text);
        assert!(found[0].contains(message), "{found:?}");
    }
    // An extern of the other one is unknown.
    assert_eq!(errors_in("register<bit<8>>(4) r;", ""), ["`register` is not declared"]);
    let mine = super::program("", "", "Register<bit<8>, bit<8>>(4) r;", "");
    assert_eq!(errors(&mine), ["`Register` is not declared"]);
    assert_eq!(errors_in("", "mark_to_drop();"), ["`mark_to_drop` is not declared"]);
}

#[test]
fn a_direct_object_is_used_in_the_actions_of_its_table() {
    let counter = "DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) c; action a() { c.count(); }";
    let table = "table t { actions = { a; NoAction; } psa_direct_counter = c; }";
    assert!(errors_in(&format!("{counter} {table}"), "t.apply();").is_empty());
    assert_eq!(
        errors_in(&format!("{counter} table t {{ actions = {{ a; NoAction; }} }}"), "t.apply();"),
        ["`IG.c` is used outside of the actions of its table"]
    );
    assert_eq!(
        errors_in(&format!("{counter} {table}"), "t.apply(); a();"),
        ["`IG.c` is used outside of the actions of its table"]
    );
    assert_eq!(
        errors_in(
            &format!("{counter} {table} table u {{ actions = {{ NoAction; }} psa_direct_counter = c; }}"),
            "t.apply(); u.apply();"
        ),
        ["`IG.c` belongs to two tables"]
    );
    assert_eq!(
        errors_in(&format!("{counter} {table}"), "c.count();"),
        ["`count` of a `DirectCounter` is allowed only in actions of its table"]
    );
    let meter = "DirectMeter(PSA_MeterType_t.BYTES) c;";
    assert_eq!(
        errors_in(meter, "PSA_MeterColor_t x = c.execute();"),
        ["`execute` of a `DirectMeter` is allowed only in actions of its table"]
    );
    assert_eq!(
        errors_in(
            &format!("{meter} table t {{ actions = {{ NoAction; }} psa_direct_counter = c; }}"),
            "t.apply();"
        ),
        ["expected a `DirectCounter`"]
    );
    assert_eq!(
        errors_in(
            &format!("{counter} table t {{ actions = {{ NoAction; }} psa_direct_meter = c; }}"),
            "t.apply();"
        ),
        ["expected a `DirectMeter`"]
    );
    // Through an action that another calls.
    assert!(errors_in(
        &format!("{counter} action b() {{ a(); }} table t {{ actions = {{ b; NoAction; }} psa_direct_counter = c; }}"),
        "t.apply();"
    )
    .is_empty());
}

#[test]
fn objects_have_their_type_arguments_and_sizes() {
    assert_eq!(errors_in("Register<bit<8>>(4) r;", ""), ["`Register` requires 2 type arguments, found 1"]);
    assert_eq!(
        errors_in("Counter<bit<8>>(4, PSA_CounterType_t.BYTES) r;", ""),
        ["`Counter` requires 2 type arguments, found 1"]
    );
    assert_eq!(
        errors_in("Hash<H>(PSA_HashAlgorithm_t.CRC16) r;", ""),
        ["the type argument of `Hash` must be `bit<W>`, found `H`"]
    );
    assert_eq!(errors_in("Random<bit<8>>(5, 4) r;", ""), ["`Random` from 5 to 4: the minimum is larger"]);
    assert_eq!(errors_in("Random<bit<8>>(h.a.x, 4) r;", "").len(), 1);
    assert_eq!(errors_in("Register<bit<8>, bit<8>>(0xffffffff) r;", "").len(), 1);
}

#[test]
fn checksums_take_whole_words() {
    let sum = "InternetChecksum() s;";
    assert!(errors_in(sum, "s.add(h.a); s.subtract({ h.a.x, h.a.y }); m.n = (bit<32>) s.get();").is_empty());
    assert_eq!(
        errors_in(sum, "s.add({ h.a.x, h.a.z });"),
        ["the data of a checksum must be a multiple of 16 bits, found 20"]
    );
    let crc = "Checksum<bit<32>>(PSA_HashAlgorithm_t.CRC32) s;";
    assert!(errors_in(crc, "s.update(h.a.x);").is_empty());
    assert_eq!(
        errors_in(crc, "s.update(h.a.z);"),
        ["the data of a checksum must be a multiple of 8 bits, found 12"]
    );
    assert_eq!(
        errors_in("Checksum<bit<32>>(PSA_HashAlgorithm_t.IDENTITY) s;", ""),
        ["`IDENTITY` is not a checksum; use `Hash`"]
    );
    assert_eq!(errors_in(crc, "s.subtract(h.a.x);"), ["`Checksum` has no method `subtract`"]);
}

#[test]
fn table_properties_of_psa() {
    let table = |properties: &str| {
        let locals = format!(
            "ActionProfile(4) p; ActionSelector(PSA_HashAlgorithm_t.CRC16, 4, 8) s; action a() {{ }}
             table t {{ actions = {{ a; NoAction; }} {properties} }}"
        );
        errors_in(&locals, "t.apply();")
    };
    assert!(
        table("key = { h.a.x: exact; h.a.y: selector; } psa_implementation = s; default_action = NoAction;")
            .is_empty()
    );
    for properties in ["", "psa_implementation = p;"] {
        assert_eq!(
            table(&format!("key = {{ h.a.x: exact; h.a.y: selector; }} {properties}")),
            ["the table `t` has a `selector` key but no `ActionSelector`"]
        );
    }
    assert_eq!(
        table("key = { h.a.x: exact; } psa_implementation = p; default_action = a();"),
        ["a table with `psa_implementation` has no default action but `NoAction`"]
    );
    assert_eq!(table("psa_idle_timeout = true;"), ["expected a member of `PSA_IdleTimeout_t`"]);
    assert!(table("psa_idle_timeout = PSA_IdleTimeout_t.NO_TIMEOUT;").is_empty());
    assert!(table("psa_empty_group_action = NoAction();").is_empty());
    assert_eq!(table("psa_empty_group_action = a();").len(), 1);
    assert_eq!(table("psa_implementation = 3;").len(), 1);
}

#[test]
fn values_of_new_types_need_casts() {
    assert_eq!(errors_in("", "send_to_port(o, h.a.x);").len(), 1);
    assert_eq!(errors_in("", "o.egress_port = i.ingress_port + 1;").len(), 1);
    assert!(errors_in("", "o.egress_port = (PortId_t) ((PortIdUint_t) i.ingress_port + 1);").is_empty());
    assert!(errors_in("", "PortIdInHeader_t x = psa_PortId_int_to_header(i.ingress_port);").is_empty());
}

/// The specification's input metadata are `in` parameters.
#[test]
fn input_metadata_cannot_be_written() {
    assert_eq!(errors_in("", "i.ingress_port = (PortId_t) 1;").len(), 1);
}

#[test]
fn a_read_from_a_header_that_egress_never_parses_is_warned_of() {
    let egress = EGRESS.replace("apply { }", "apply { h.a.x = h.a.y; }");
    let parser = EGRESS_PARSER.replace("p.extract(h.a); ", "");
    let found = warnings(&Blocks { egress, egress_parser: parser, ..blocks("", "") }.text());
    assert_eq!(found.len(), 1, "{found:?}");
}
