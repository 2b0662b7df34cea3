//! Arbitration among controllers, and their roles (§5).

use crate::device::Device;
use crate::fault::{Code, Fault, invalid, not_found};
use crate::node::{Client, ClientId, Node};
use crate::proto::runtime::{MasterArbitrationUpdate, Role as RoleMessage, Status, StreamResponse, Uint128};
use crate::role::Access;

impl<D: Device> Node<D> {
    /// §5.3: rules for arbitration.
    pub(super) fn arbitrate(
        &mut self,
        client: ClientId,
        update: &MasterArbitrationUpdate,
    ) -> Result<(), Fault> {
        let role = update.role.as_ref().map(|role| role.name.clone()).unwrap_or_default();
        let election = update.election_id.as_ref().map(election);
        let known = self.clients.get(&client).cloned();
        match &known {
            None if update.device_id != self.device => {
                return Err(not_found(format!(
                    "unknown device {}; this is {}",
                    update.device_id, self.device
                )));
            }
            Some(known) if update.device_id != self.device || known.role != role => {
                let text = "a stream keeps its device and role: open another stream";
                return Err(Fault::new(Code::FailedPrecondition, text));
            }
            _ => {}
        }
        let config = match update.role.as_ref().and_then(|role| role.config.as_ref()) {
            Some(_) if role.is_empty() => {
                return Err(invalid(
                    "the default role has full access: a role with a configuration needs a name",
                ));
            }
            Some(config) => Some((config.clone(), Access::read(config)?)),
            None => None,
        };
        let same = |(id, other): (&ClientId, &Client)| {
            *id != client && other.role == role && other.election == election
        };
        if election.is_some() && self.clients.iter().any(same) {
            return Err(invalid("another controller of this role has the same election id"));
        }
        let highest = self.highest(&role);
        let was_primary = known.is_some_and(|known| known.election.is_some() && known.election == highest);
        let becomes_primary =
            election.is_some_and(|election| highest.is_none_or(|highest| election >= highest));
        if let (true, Some((_, access))) = (becomes_primary, &config) {
            self.check_overlap(&role, access)?;
        }
        self.clients.insert(client, Client { role: role.clone(), election });
        let state = self.roles.entry(role.clone()).or_default();
        if becomes_primary {
            (state.highest, state.config) = (election, config);
        }
        match becomes_primary || was_primary {
            true => self.notify(&role),
            false => {
                let message = self.notice(client, &role);
                self.send(client, StreamResponse::Arbitration(message));
            }
        }
        Ok(())
    }

    /// Refuses a configuration with an object that another role has, if one of them has it exclusively. Only roles with
    /// controllers count.
    fn check_overlap(&self, role: &str, access: &Access) -> Result<(), Fault> {
        let others = self.roles.iter().filter(|(name, _)| {
            name.as_str() != role && self.clients.values().any(|client| client.role == **name)
        });
        for (name, state) in others {
            let Some((_, other)) = &state.config else { continue };
            if let Some(id) = access.conflict(other) {
                return Err(invalid(format!(
                    "the role `{name}` has the object {id} too, and one of the two roles has it exclusively"
                )));
            }
        }
        Ok(())
    }

    /// Tells all controllers of a role who is primary; the primary last.
    pub(super) fn notify(&mut self, role: &str) {
        let of_role = self.clients.iter().filter(|(_, client)| client.role == role).map(|(id, _)| *id);
        let mut clients: Vec<ClientId> = of_role.collect();
        clients.sort_by_key(|client| self.is_primary(*client));
        for client in clients {
            let message = self.notice(client, role);
            self.send(client, StreamResponse::Arbitration(message));
        }
    }

    fn notice(&self, client: ClientId, role: &str) -> MasterArbitrationUpdate {
        let code = match (self.is_primary(client), self.primary(role)) {
            (true, _) => Code::Ok,
            (false, Some(_)) => Code::AlreadyExists,
            (false, None) => Code::NotFound,
        };
        let message = match code {
            Code::Ok => "this controller is primary",
            Code::AlreadyExists => "another controller is primary",
            _ => "no controller is primary",
        };
        let config = self.roles.get(role).and_then(|state| state.config.as_ref());
        let config = config.map(|(config, _)| config.clone());
        MasterArbitrationUpdate {
            device_id: self.device,
            role: (!role.is_empty()).then(|| RoleMessage {
                name: role.to_owned(),
                config,
                ..Default::default()
            }),
            election_id: self.highest(role).map(|id| Uint128 { high: (id >> 64) as u64, low: id as u64 }),
            status: Some(Status { code: code as i32, message: message.to_owned(), details: Vec::new() }),
        }
    }

    pub(super) fn highest(&self, role: &str) -> Option<u128> {
        self.roles.get(role)?.highest
    }

    fn primary(&self, role: &str) -> Option<ClientId> {
        let highest = self.highest(role);
        let mut clients = self.clients.iter();
        let primary =
            |client: &Client| client.role == role && client.election.is_some() && client.election == highest;
        clients.find(|(_, client)| primary(client)).map(|(id, _)| *id)
    }

    pub(super) fn is_primary(&self, client: ClientId) -> bool {
        self.clients.get(&client).is_some_and(|known| self.primary(&known.role) == Some(client))
    }

    /// What the role may access; `None` for everything.
    pub(super) fn access(&self, role: &str) -> Option<&Access> {
        Some(&self.roles.get(role)?.config.as_ref()?.1)
    }

    /// Refuses a change unless it has the election id of the role's primary controller (§12, checks 1 and 2).
    pub(super) fn authorize(&self, device: u64, role: &str, id: Option<&Uint128>) -> Result<(), Fault> {
        self.check_device(device)?;
        if !role.is_empty() && !self.roles.contains_key(role) {
            return Err(not_found(format!("unknown role `{role}`: no controller of it has connected")));
        }
        let primary = self.primary(role).and_then(|client| self.clients.get(&client)?.election);
        match primary {
            Some(primary) if id.map(election) == Some(primary) => Ok(()),
            _ => Err(not_primary()),
        }
    }

    pub(super) fn check_device(&self, device: u64) -> Result<(), Fault> {
        match device == self.device {
            true => Ok(()),
            false => Err(not_found(format!("unknown device {device}; this is {}", self.device))),
        }
    }
}

fn election(id: &Uint128) -> u128 {
    u128::from(id.high) << 64 | u128::from(id.low)
}

pub(super) fn not_primary() -> Fault {
    Fault::new(Code::PermissionDenied, "only the primary controller may do this")
}
