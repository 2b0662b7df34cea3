//! Random calls of the architectures' externs.

use jettison_p4_front::ir::{
    ChecksumStep, Expr, Extern, ExternId, ExternInstance, ExternKind, FieldListChoice, FieldListId,
    HashAlgorithm, MeterUnit, Place, PsaExtern, StmtKind, Type, TypeId,
};

use super::generator::Generator;
use super::stmt::May;

const ALGORITHMS: [HashAlgorithm; 8] = [
    HashAlgorithm::Crc32,
    HashAlgorithm::Crc32Custom,
    HashAlgorithm::Crc16,
    HashAlgorithm::Crc16Custom,
    HashAlgorithm::Random,
    HashAlgorithm::Identity,
    HashAlgorithm::Csum16,
    HashAlgorithm::Xor16,
];

impl Generator<'_> {
    /// A few registers, counters, meters.
    pub fn declare_externs(&mut self) {
        let kinds = [
            ExternKind::Register { size: 4, ty: self.bits_type() },
            ExternKind::Register { size: 1, ty: self.bits_type() },
            ExternKind::Register { size: 3, ty: self.world.twins[0].1 },
            ExternKind::Counter { size: 3 },
            ExternKind::Meter { size: 2, unit: MeterUnit::Bytes },
            ExternKind::DirectCounter,
            ExternKind::DirectMeter { unit: MeterUnit::Packets },
        ];
        self.externs = kinds
            .into_iter()
            .enumerate()
            .map(|(i, kind)| ExternInstance { name: format!("extern{i}").into(), kind, initial: None })
            .collect();
    }

    fn extern_where(&mut self, wanted: impl Fn(ExternKind) -> bool) -> (ExternId, ExternKind) {
        let fitting: Vec<usize> = (0..self.externs.len()).filter(|i| wanted(self.externs[*i].kind)).collect();
        let index = self.choices.pick(&fitting);
        (ExternId(index as u32), self.externs[index].kind)
    }

    fn small_index(&mut self) -> Expr {
        let ty = self.world.bit32;
        match self.choices.below(3) {
            0 | 1 => {
                let value = self.choices.below(5);
                self.constant(value, ty)
            }
            _ => self.expr(ty, 2),
        }
    }

    fn bits_place(&mut self) -> Option<Place> {
        self.place_where(|types, ty| matches!(types.get(ty), Type::Bits { .. }))
    }

    /// Scalars and varbits to hash or send.
    fn data(&mut self) -> Vec<Expr> {
        let mut data = Vec::new();
        for _ in 0..self.choices.below(5) {
            let scalar = |types: &jettison_p4_front::ir::Types, ty: TypeId| {
                !matches!(types.get(ty), Type::Composite(_) | Type::Stack { .. })
            };
            if let Some(place) = self.place_where(scalar) {
                data.push(self.expr(place.ty, 1));
            }
        }
        data
    }

    fn keep(&mut self) -> FieldListChoice {
        match self.choices.below(3) {
            0 => FieldListChoice::Nothing,
            1 => FieldListChoice::Of(FieldListId(self.choices.below(2) as u32)),
            _ => {
                let ty = self.world.bit8;
                FieldListChoice::Numbered(self.expr(ty, 1))
            }
        }
    }

    fn psa(&mut self) -> Option<PsaExtern> {
        let is_direct = |kind| matches!(kind, ExternKind::DirectMeter { .. });
        Some(match self.choices.below(5) {
            0 => {
                let (counter, _) = self.extern_where(|kind| matches!(kind, ExternKind::DirectCounter));
                PsaExtern::CountDirect { counter }
            }
            1 => {
                let direct = self.choices.below(2) == 1;
                let (meter, _) = match direct {
                    true => self.extern_where(is_direct),
                    false => self.extern_where(|kind| matches!(kind, ExternKind::Meter { .. })),
                };
                let byte = self.world.bit8;
                let colour = (self.choices.below(2) == 1).then(|| self.expr(byte, 1));
                let index = (!direct).then(|| self.small_index());
                PsaExtern::Mark { meter, index, colour, to: self.place(byte)? }
            }
            step => {
                let word = |types: &jettison_p4_front::ir::Types, ty: TypeId| {
                    types.get(ty) == Type::Bits { width: 64, signed: false }
                };
                let to = self.place_where(word)?;
                let algorithm = self.choices.pick(&ALGORITHMS[..4]);
                let step = match step {
                    2 => ChecksumStep::Clear,
                    3 => ChecksumStep::Update(self.data()),
                    _ => ChecksumStep::Get,
                };
                PsaExtern::Checksum { step, algorithm, from: self.expr(to.ty, 1), to }
            }
        })
    }

    pub fn external(&mut self, may: May) -> Option<StmtKind> {
        let bit32 = self.world.bit32;
        let what = match self.choices.below(18) {
            0 | 1 => {
                let (register, kind) = self.extern_where(|kind| matches!(kind, ExternKind::Register { .. }));
                let ExternKind::Register { ty, .. } = kind else { return None };
                let to = self.place(ty)?;
                Extern::RegisterRead { register, to, index: self.small_index() }
            }
            2 | 3 => {
                let (register, kind) = self.extern_where(|kind| matches!(kind, ExternKind::Register { .. }));
                let ExternKind::Register { ty, .. } = kind else { return None };
                let index = self.small_index();
                Extern::RegisterWrite { register, index, value: self.expr(ty, 2) }
            }
            4 => {
                let (counter, _) = self.extern_where(|kind| matches!(kind, ExternKind::Counter { .. }));
                Extern::Count { counter, index: self.small_index() }
            }
            5 => {
                let (meter, _) = self.extern_where(|kind| matches!(kind, ExternKind::Meter { .. }));
                Extern::ExecuteMeter { meter, index: self.small_index(), to: self.bits_place()? }
            }
            6 => {
                let (meter, _) = self.extern_where(|kind| matches!(kind, ExternKind::DirectMeter { .. }));
                Extern::ReadDirectMeter { meter, to: self.bits_place()? }
            }
            7 => {
                let to = self.bits_place()?;
                let (low, high) = (self.expr(to.ty, 1), self.expr(to.ty, 1));
                Extern::Random { to, low, high }
            }
            8 | 9 => {
                let (to, algorithm) = (self.bits_place()?, self.choices.pick(&ALGORITHMS));
                let (base, max) = (self.bits_type(), self.bits_type());
                let (base, max) = (self.expr(base, 1), self.expr(max, 1));
                Extern::Hash { to, algorithm, base, data: self.data(), max }
            }
            10 => {
                let checksum = self.bits_place()?;
                Extern::VerifyChecksum {
                    condition: self.condition(1),
                    data: self.data(),
                    checksum: Expr { ty: checksum.ty, kind: jettison_p4_front::ir::ExprKind::Read(checksum) },
                    algorithm: self.choices.pick(&ALGORITHMS),
                    payload: may.payload && self.choices.below(2) == 1,
                }
            }
            11 => Extern::UpdateChecksum {
                condition: self.condition(1),
                data: self.data(),
                checksum: self.bits_place()?,
                algorithm: self.choices.pick(&ALGORITHMS),
                payload: may.payload && self.choices.below(2) == 1,
            },
            12 => {
                let receiver = self.expr(bit32, 1);
                Extern::Digest { receiver, data: self.data(), ty: bit32 }
            }
            13 => match self.choices.below(5) {
                4 => {
                    Extern::Lengthen { condition: self.condition(1), bytes: self.choices.below(9) as i32 - 4 }
                }
                0 => Extern::Resubmit { keep: self.keep() },
                1 => Extern::Recirculate { keep: self.keep() },
                2 => Extern::Truncate { length: self.expr(bit32, 1) },
                _ => {
                    let egress = self.choices.below(2) == 1;
                    Extern::Clone { egress, session: self.expr(bit32, 1), keep: self.keep() }
                }
            },
            14 => {
                let format = self.choices.pick(&["plain", "{}", "a {} b {} c", "{}{}{}{}"]);
                Extern::LogMessage { format: format.into(), arguments: self.data() }
            }
            15 | 16 => Extern::Psa(self.psa()?),
            _ => Extern::Assert { condition: self.condition(2), assume: self.choices.below(2) == 1 },
        };
        Some(StmtKind::Extern(Box::new(what)))
    }
}
