//! gRPC server of a [`Node`].
//!
//! The node may be elsewhere: its [`Owner`] executes the server's jobs where and when it can, and delivers what the
//! node has for its controllers to their [`Streams`].

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::stream::{self, Stream, StreamExt};
use jettison_core::Time;
use jettison_p4_front::ir::Program;
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior};
use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::server::{Grpc, ServerStreamingService, StreamingService, UnaryService};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use crate::device::{Device as SwitchDevice, Standalone};
use crate::fault::Fault;
use crate::node::{API_VERSION, ClientId, Node, Prepared};
use crate::proto::runtime::{
    Any, CapabilitiesRequest, CapabilitiesResponse, Entity, Error, ForwardingPipelineConfig,
    GetForwardingPipelineConfigRequest, GetForwardingPipelineConfigResponse, ReadRequest, ReadResponse,
    SetForwardingPipelineConfigRequest, SetForwardingPipelineConfigResponse, Status as RpcStatus,
    StreamMessageRequest, StreamMessageResponse, WriteRequest, WriteResponse,
};

/// Maximum size of a request: a batch of some 100,000 entries.
const MAX_REQUEST: usize = 64 << 20;
/// Entities per message of a read's response; clients refuse messages over 4 MiB.
const PER_RESPONSE: usize = 1000;
/// Messages that wait for a controller that does not read; further ones are dropped.
const BACKLOG: usize = 4096;
/// Interval in which digest lists and idle timeouts become due.
const TICK: Duration = Duration::from_millis(5);

/// Updates of a write request that are executed at once; the switch's packets come between such parts.
const PART: usize = 128;

/// What the server asks of a node, whatever its switch.
pub trait Requests {
    /// See [`Node::open`].
    fn open(&mut self) -> ClientId;
    /// See [`Node::close`].
    fn close(&mut self, client: ClientId);
    /// See [`Node::message`].
    ///
    /// # Errors
    /// If the stream must be terminated.
    fn message(&mut self, client: ClientId, message: StreamMessageRequest, now: Time) -> Result<(), Fault>;
    /// See [`Node::write`].
    ///
    /// # Errors
    /// If the batch as a whole is refused.
    fn write(&mut self, request: &WriteRequest, now: Time) -> Result<Option<Vec<Error>>, Fault>;
    /// See [`Node::read`].
    ///
    /// # Errors
    /// If one of the requests is refused.
    fn read(&self, request: &ReadRequest, now: Time) -> Result<Vec<Entity>, Fault>;
    /// See [`Node::own_program`].
    fn own_program(&self) -> Arc<Program>;
    /// See [`Node::set_prepared_pipeline`].
    ///
    /// # Errors
    /// If the configuration is refused.
    fn set_pipeline(
        &mut self,
        request: &SetForwardingPipelineConfigRequest,
        prepared: Result<Prepared, Fault>,
        now: Time,
    ) -> Result<(), Fault>;
    /// See [`Node::pipeline`].
    ///
    /// # Errors
    /// If the device is unknown or has no configuration.
    fn pipeline(
        &self,
        request: &GetForwardingPipelineConfigRequest,
    ) -> Result<ForwardingPipelineConfig, Fault>;
}

impl<D: SwitchDevice> Requests for Node<D> {
    fn open(&mut self) -> ClientId {
        Node::open(self)
    }
    fn close(&mut self, client: ClientId) {
        Node::close(self, client);
    }
    fn message(&mut self, client: ClientId, message: StreamMessageRequest, now: Time) -> Result<(), Fault> {
        Node::message(self, client, message, now)
    }
    fn write(&mut self, request: &WriteRequest, now: Time) -> Result<Option<Vec<Error>>, Fault> {
        Node::write(self, request, now)
    }
    fn read(&self, request: &ReadRequest, now: Time) -> Result<Vec<Entity>, Fault> {
        Node::read(self, request, now)
    }
    fn own_program(&self) -> Arc<Program> {
        Node::own_program(self)
    }
    fn set_pipeline(
        &mut self,
        request: &SetForwardingPipelineConfigRequest,
        prepared: Result<Prepared, Fault>,
        now: Time,
    ) -> Result<(), Fault> {
        self.set_prepared_pipeline(request, prepared, now)
    }
    fn pipeline(
        &self,
        request: &GetForwardingPipelineConfigRequest,
    ) -> Result<ForwardingPipelineConfig, Fault> {
        Node::pipeline(self, request)
    }
}

/// Something to do with a node, at the node's time.
pub type Job = Box<dyn FnOnce(&mut dyn Requests, Time) + Send>;

/// Whoever has a node.
pub trait Owner: Send + Sync {
    /// Executes a job, now or later. A job that is dropped was not executed.
    fn execute(&self, job: Job);

    /// Called every 5 ms, for nodes whose time passes only then.
    fn tick(&self) {}
}

/// Serves a node on a bound listener until `stop` is ready.
///
/// # Errors
/// If the runtime or the server fails.
pub fn serve(
    listener: std::net::TcpListener,
    owner: Arc<dyn Owner>,
    streams: Streams,
    stop: impl Future<Output = ()>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let incoming = stream::unfold(listener, |listener| async {
            let accepted = listener.accept().await.map(|(socket, _)| {
                // Small messages go out at once; without the option they only go out later.
                let _ = socket.set_nodelay(true);
                socket
            });
            Some((accepted, listener))
        });
        let device = Device { owner: Arc::clone(&owner), streams };
        let served = tonic::transport::Server::builder().serve_with_incoming(P4Runtime(device), incoming);
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let ticking = async {
            loop {
                ticks.tick().await;
                owner.tick();
            }
        };
        tokio::select! {
            done = served => done.map_err(Into::into),
            () = ticking => Ok(()),
            () = stop => Ok(()),
        }
    })
}

/// Serves a node that only its controllers use.
///
/// # Errors
/// If the runtime or the server fails.
pub fn serve_standalone(
    listener: std::net::TcpListener,
    node: Node<Standalone>,
    stop: impl Future<Output = ()>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let streams = Streams::default();
    let owner = Own { node: Mutex::new(node), streams: streams.clone(), start: Instant::now() };
    serve(listener, Arc::new(owner), streams, stop)
}

/// A node that only its controllers use.
struct Own {
    node: Mutex<Node<Standalone>>,
    streams: Streams,
    start: Instant,
}

impl Own {
    fn with(&self, inner: impl FnOnce(&mut Node<Standalone>, Time)) {
        let now = Time::ZERO + jettison_core::Duration::from_nanos(self.start.elapsed().as_nanos() as u64);
        let mut node = locked(&self.node);
        inner(&mut node, now);
        // Frames of ports without an interface go nowhere.
        drop(node.device_mut().take_departed());
        self.streams.deliver(node.take_messages());
    }
}

impl Owner for Own {
    fn execute(&self, job: Job) {
        self.with(|node, now| job(node, now));
    }

    fn tick(&self) {
        // A program that never finishes with a packet loses it; the controller has no message for that.
        self.with(|node, now| drop(node.advance(now)));
    }
}

/// Messages to a controller.
type Outgoing = mpsc::Sender<Result<StreamMessageResponse, Status>>;

/// The streams of a node's controllers.
#[derive(Clone, Default)]
pub struct Streams(Arc<Mutex<HashMap<ClientId, Outgoing>>>);

impl Streams {
    /// Sends messages of a node ([`Node::take_messages`]) to their controllers. Never waits: those for a controller that does
    /// not read are dropped.
    pub fn deliver(&self, messages: Vec<(ClientId, StreamMessageResponse)>) {
        if messages.is_empty() {
            return;
        }
        let streams = locked(&self.0);
        for (client, message) in messages {
            if let Some(stream) = streams.get(&client) {
                let _ = stream.try_send(Ok(message));
            }
        }
    }
}

/// The node and its streams.
#[derive(Clone)]
struct Device {
    owner: Arc<dyn Owner>,
    streams: Streams,
}

impl Device {
    /// Runs `inner` on the node.
    async fn with<T: Send + 'static>(
        &self,
        inner: impl FnOnce(&mut dyn Requests, Time) -> T + Send + 'static,
    ) -> Result<T, Status> {
        let (sender, result) = oneshot::channel();
        self.owner.execute(Box::new(move |node, now| drop(sender.send(inner(node, now)))));
        result.await.map_err(|_| Status::unavailable("the switch has ended"))
    }

    /// Opens a stream: a task reads the controller's messages until it ends or breaks the rules.
    fn stream(&self, mut requests: Streaming<StreamMessageRequest>) -> Answers<StreamMessageResponse> {
        let (sender, mut receiver) = mpsc::channel(BACKLOG);
        let device = self.clone();
        tokio::spawn(async move {
            let Ok(client) = device.with(|node, _| node.open()).await else { return };
            locked(&device.streams.0).insert(client, sender.clone());
            while let Some(Ok(message)) = requests.next().await {
                let done = device.with(move |node, now| node.message(client, message, now)).await;
                if let Err(error) = done.and_then(|done| done.map_err(status)) {
                    let _ = sender.send(Err(error)).await; // the controller may have gone
                    break;
                }
            }
            locked(&device.streams.0).remove(&client);
            let _ = device.with(move |node, _| node.close(client)).await;
        });
        Box::pin(stream::poll_fn(move |cx| receiver.poll_recv(cx)))
    }
}

/// A lock whose holder panicked still has a usable device: requests change it in single steps.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn status(fault: Fault) -> Status {
    Status::new(tonic::Code::from(fault.code as i32), fault.message)
}

type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The service `p4.v1.P4Runtime`.
#[derive(Clone)]
struct P4Runtime(Device);

impl Service<http::Request<Body>> for P4Runtime {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let device = self.0.clone();
        let method = request.uri().path().strip_prefix("/p4.v1.P4Runtime/").unwrap_or_default().to_owned();
        Box::pin(async move {
            Ok(match &*method {
                "Write" => {
                    let write = Unary(move |request| device.clone().write(request));
                    grpc().unary(write, request).await
                }
                "Read" => grpc().server_streaming(Read(device), request).await,
                "SetForwardingPipelineConfig" => {
                    let set = Unary(move |request: SetForwardingPipelineConfigRequest| {
                        let device = device.clone();
                        async move { device.set_pipeline(request).await }
                    });
                    grpc().unary(set, request).await
                }
                "GetForwardingPipelineConfig" => {
                    let get = Unary(move |request: GetForwardingPipelineConfigRequest| {
                        let device = device.clone();
                        async move {
                            let config = device.with(move |node, _| node.pipeline(&request)).await?;
                            Ok(GetForwardingPipelineConfigResponse { config: Some(config.map_err(status)?) })
                        }
                    });
                    grpc().unary(get, request).await
                }
                "StreamChannel" => grpc().streaming(Channel(device), request).await,
                "Capabilities" => {
                    let capabilities = Unary(|_: CapabilitiesRequest| async {
                        Ok(CapabilitiesResponse { p4runtime_api_version: API_VERSION.to_owned() })
                    });
                    grpc().unary(capabilities, request).await
                }
                _ => Status::unimplemented("unknown method").into_http(),
            })
        })
    }
}

fn grpc<T, U>() -> Grpc<ProstCodec<T, U>>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    Grpc::new(ProstCodec::default()).max_decoding_message_size(MAX_REQUEST)
}

impl Device {
    /// The program is compiled in a thread of its own, so that no packet waits for it.
    async fn set_pipeline(
        self,
        request: SetForwardingPipelineConfigRequest,
    ) -> Result<SetForwardingPipelineConfigResponse, Status> {
        let own = self.with(|node, _| node.own_program()).await?;
        let compile = move || (Prepared::new(request.config.as_ref(), &own), request);
        let compiled = tokio::task::spawn_blocking(compile).await;
        let (prepared, request) = compiled.map_err(|_| Status::internal("the compiler failed"))?;
        let done = self.with(move |node, now| node.set_pipeline(&request, prepared, now)).await?;
        done.map(|()| SetForwardingPipelineConfigResponse {}).map_err(status)
    }

    /// A long batch is executed in parts. Errors of single updates go into the status's details (§12.3).
    async fn write(self, mut request: WriteRequest) -> Result<WriteResponse, Status> {
        let mut updates = std::mem::take(&mut request.updates);
        let (count, mut errors, mut failed) = (updates.len(), Vec::new(), 0);
        loop {
            // An atomic batch is one part.
            let part = if request.atomicity == 0 { PART.min(updates.len()) } else { updates.len() };
            let rest = updates.split_off(part);
            let part = WriteRequest { updates, ..request.clone() };
            let length = part.updates.len();
            let done = self.with(move |node, now| node.write(&part, now)).await?.map_err(status)?;
            match done {
                None => errors.resize(errors.len() + length, Error::default()),
                Some(part) => {
                    failed += part.iter().filter(|error| error.canonical_code != 0).count();
                    errors.extend(part);
                }
            }
            updates = rest;
            if updates.is_empty() {
                break;
            }
        }
        if failed == 0 {
            return Ok(WriteResponse {});
        }
        let message = format!("{failed} of {count} updates failed");
        let details = errors.iter().map(|error| Any {
            type_url: "type.googleapis.com/p4.v1.Error".to_owned(),
            value: error.encode_to_vec(),
        });
        let code = tonic::Code::Unknown;
        let details = RpcStatus { code: code as i32, message: message.clone(), details: details.collect() };
        Err(Status::with_details(code, message, details.encode_to_vec().into()))
    }
}

/// A future of a response.
type Later<T> = Pin<Box<dyn Future<Output = Result<Response<T>, Status>> + Send>>;

/// A method with one request and one response.
struct Unary<F>(F);

impl<F, R, T, U> UnaryService<T> for Unary<F>
where
    F: FnMut(T) -> R,
    R: Future<Output = Result<U, Status>> + Send + 'static,
{
    type Response = U;
    type Future = Later<U>;

    fn call(&mut self, request: Request<T>) -> Self::Future {
        let response = (self.0)(request.into_inner());
        Box::pin(async move { response.await.map(Response::new) })
    }
}

/// `Read`.
struct Read(Device);

impl ServerStreamingService<ReadRequest> for Read {
    type Response = ReadResponse;
    type ResponseStream = Answers<ReadResponse>;
    type Future = Later<Self::ResponseStream>;

    fn call(&mut self, request: Request<ReadRequest>) -> Self::Future {
        let device = self.0.clone();
        Box::pin(async move {
            let request = request.into_inner();
            let read = device.with(move |node, now| node.read(&request, now)).await?;
            let mut entities = read.map_err(status)?;
            let mut responses = Vec::new();
            while !entities.is_empty() {
                let rest = entities.split_off(entities.len().min(PER_RESPONSE));
                responses.push(Ok(ReadResponse { entities: std::mem::replace(&mut entities, rest) }));
            }
            let responses: Self::ResponseStream = Box::pin(stream::iter(responses));
            Ok(Response::new(responses))
        })
    }
}

/// `StreamChannel`.
struct Channel(Device);

impl StreamingService<StreamMessageRequest> for Channel {
    type Response = StreamMessageResponse;
    type ResponseStream = Answers<StreamMessageResponse>;
    type Future = std::future::Ready<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<Streaming<StreamMessageRequest>>) -> Self::Future {
        std::future::ready(Ok(Response::new(self.0.stream(request.into_inner()))))
    }
}
