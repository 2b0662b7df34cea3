//! Tests of P4Info.

use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use prost::Message;

use super::*;

/// Compiles a program from the parts that the tests vary.
pub(crate) fn program(declarations: &str, ingress: &str, apply: &str) -> Program {
    let text = format!(
        "#include <core.p4>\n#include <v1model.p4>\n{declarations}\n
        header ethernet_t {{ bit<48> dst; bit<48> src; bit<16> kind; }}
        struct headers_t {{ ethernet_t ethernet; }}
        struct metadata_t {{ bit<8> class; }}
        parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {{
            state start {{ packet.extract(hdr.ethernet); transition accept; }}
        }}
        control V(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
        control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {{
            {ingress}
            apply {{ {apply} }}
        }}
        control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t s) {{ apply {{ }} }}
        control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr.ethernet); }} }}
        V1Switch(P(), V(), I(), E(), V(), D()) main;"
    );
    let mut sources = Sources::default();
    let main = sources.add("test.p4", text);
    match jettison_p4_front::compile(&mut sources, main, &Options::default()) {
        Ok((program, _)) => program,
        Err(errors) => panic!("{}", errors[0].one_line(&sources)),
    }
}

const LEARNING: &str = r#"
    @brief("Source addresses.") @my_note(5)
    table smac {
        key = { hdr.ethernet.src: exact @id(7); meta.class: ternary; }
        actions = { forward; @defaultonly learn; @tableonly nothing; }
        const default_action = learn();
        support_timeout = true;
        size = 512;
        counters = hits;
    }"#;

const ACTIONS: &str = r#"
    direct_counter(CounterType.packets) hits;
    register<bit<32>>(16) seen;
    @id(0x12000009) counter(8, CounterType.bytes) totals;
    meter(4, MeterType.bytes) rates;
    action forward(@id(3) bit<9> port, bit<3> class) { s.egress_spec = port; }
    action nothing() { }
    action learn() { digest<learn_t>(1, { hdr.ethernet.src, s.ingress_port }); }"#;

const DECLARATIONS: &str = r#"
    struct learn_t { bit<48> address; bit<9> port; }
    @controller_header("packet_in") header in_t { bit<9> ingress_port; @padding bit<7> pad; }
    @controller_header("packet_out") header out_t { bit<9> egress_port; bit<7> other; }"#;

#[test]
fn a_table_is_described_with_its_fields_actions_and_resources() {
    let program = program(DECLARATIONS, &format!("{ACTIONS}{LEARNING}"), "smac.apply(); totals.count(1);");
    let info = describe(&program).unwrap();
    let table = &info.tables[0];
    let about = table.preamble.as_ref().unwrap();
    assert_eq!((&*about.name, &*about.alias, about.id >> 24), ("I.smac", "smac", 2));
    assert_eq!(about.annotations, ["@my_note(5)"]);
    assert_eq!(about.doc.as_ref().unwrap().brief, "Source addresses.");
    let fields: Vec<_> =
        table.match_fields.iter().map(|f| (f.id, &*f.name, f.bitwidth, f.match_type)).collect();
    assert_eq!(
        fields,
        [(7, "hdr.ethernet.src", 48, match_type::EXACT), (1, "meta.class", 8, match_type::TERNARY)]
    );
    assert_eq!(table.action_refs.iter().map(|action| action.scope).collect::<Vec<_>>(), [0, 2, 1]);
    let learn = table.action_refs[1].id;
    assert_eq!((table.const_default_action_id, table.size, table.idle_timeout_behavior), (learn, 512, 1));
    assert_eq!(table.direct_resource_ids, [info.direct_counters[0].preamble.as_ref().unwrap().id]);
    assert_eq!(info.direct_counters[0].direct_table_id, about.id);
    let forward =
        info.actions.iter().find(|action| action.preamble.as_ref().unwrap().alias == "forward").unwrap();
    let params: Vec<_> = forward.params.iter().map(|p| (p.id, &*p.name, p.bitwidth)).collect();
    assert_eq!(params, [(3, "port", 9), (1, "class", 3)]);
}

#[test]
fn objects_digests_and_controller_headers_are_described() {
    let program = program(DECLARATIONS, &format!("{ACTIONS}{LEARNING}"), "smac.apply(); totals.count(1);");
    let info = describe(&program).unwrap();
    assert_eq!(info.counters[0].preamble.as_ref().unwrap().id, 0x1200_0009);
    assert_eq!((info.counters[0].spec.unwrap().unit, info.counters[0].size), (1, 8));
    assert_eq!(info.direct_counters[0].spec.unwrap().unit, 2);
    assert_eq!((info.meters[0].spec.unwrap().unit, info.meters[0].size), (1, 4));
    assert_eq!(info.registers[0].size, 16);
    let digest = &info.digests[0];
    assert_eq!(digest.preamble.as_ref().unwrap().name, "learn_t");
    let members = &info.type_info.as_ref().unwrap().structs["learn_t"].members;
    assert_eq!(members.iter().map(|member| &*member.name).collect::<Vec<_>>(), ["address", "port"]);
    let headers: Vec<_> = (info.controller_packet_metadata.iter())
        .map(|header| (&*header.preamble.as_ref().unwrap().name, header.metadata.len()))
        .collect();
    assert_eq!(headers, [("packet_in", 1), ("packet_out", 2)], "padding is left out");
}

#[test]
fn a_translated_type_has_the_controllers_width() {
    let declarations = r#"@p4runtime_translation("x/port", 32) type bit<9> port_t; type bit<12> vlan_t;
        struct more_t { port_t port; vlan_t vlan; }"#;
    let ingress = "more_t more; action use(port_t out_port) { s.egress_spec = (bit<9>)out_port; }
        table t { key = { more.port: exact; more.vlan: exact; } actions = { use; } }";
    let program = program(
        declarations,
        ingress,
        "more.port = (port_t)s.ingress_port; more.vlan = (vlan_t)5; t.apply();",
    );
    let info = describe(&program).unwrap();
    let fields = &info.tables[0].match_fields;
    let seen: Vec<_> =
        fields.iter().map(|field| (field.bitwidth, &*field.type_name.as_ref().unwrap().name)).collect();
    assert_eq!(seen, [(32, "port_t"), (12, "vlan_t")]);
    let types = &info.type_info.as_ref().unwrap().new_types;
    let text = to_text(&info);
    assert!(text.contains("sdn_bitwidth: 32") && text.contains("uri: \"x/port\""), "{text}");
    assert_eq!(types.len(), 2);
}

#[test]
fn an_enum_of_a_controller_header_is_described_with_its_values() {
    let declarations = "enum bit<8> Reason_t { miss = 1, full = 200 } enum bit<4> Unused_t { a = 0 }
        @controller_header(\"packet_in\") header packet_in_t { bit<16> port; Reason_t reason; }";
    let info = describe(&program(declarations, "", "")).unwrap();
    let enums = &info.type_info.as_ref().unwrap().serializable_enums;
    assert_eq!(enums.keys().collect::<Vec<_>>(), ["Reason_t"]);
    let members = &enums["Reason_t"].members;
    let members: Vec<_> = members.iter().map(|member| (&*member.name, &member.value[..])).collect();
    assert_eq!(members, [("miss", &[1][..]), ("full", &[200][..])]);
    let text = to_text(&info);
    for part in ["key: \"Reason_t\"", "underlying_type {\n        bitwidth: 8", "name: \"full\""] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(P4Info::decode(&*info.encode_to_vec()).unwrap(), info);
}

#[test]
fn the_binary_form_reads_back_and_the_text_form_quotes() {
    let program = program(DECLARATIONS, &format!("{ACTIONS}{LEARNING}"), "smac.apply();");
    let info = describe(&program).unwrap();
    assert_eq!(P4Info::decode(&*info.encode_to_vec()).unwrap(), info);
    let text = to_text(&info);
    assert!(text.contains("annotations: \"@controller_header(\\\"packet_in\\\")\""), "{text}");
    assert!(text.contains("    match_type: TERNARY\n"), "{text}");
}
