//! gRPC server of a [`Node`].

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::stream::{self, Stream, StreamExt};
use jettison_core::Time;
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};
use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::server::{Grpc, ServerStreamingService, StreamingService, UnaryService};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use crate::fault::Fault;
use crate::node::{API_VERSION, ClientId, Node};
use crate::proto::runtime::{
    Any, CapabilitiesRequest, CapabilitiesResponse, GetForwardingPipelineConfigRequest,
    GetForwardingPipelineConfigResponse, ReadRequest, ReadResponse, SetForwardingPipelineConfigRequest,
    SetForwardingPipelineConfigResponse, Status as RpcStatus, StreamMessageRequest, StreamMessageResponse,
    WriteRequest, WriteResponse,
};

/// Maximum size of a request: a batch of some 100,000 entries.
const MAX_REQUEST: usize = 64 << 20;
/// Entities per message of a read's response; clients refuse messages over 4 MiB.
const PER_RESPONSE: usize = 1000;
/// Messages that wait for a controller that does not read; further ones are dropped.
const BACKLOG: usize = 4096;
/// Interval in which digest lists and idle timeouts become due.
const TICK: Duration = Duration::from_millis(5);

/// Serves a device on a bound listener until `stop` is ready.
///
/// # Errors
/// If the runtime or the server fails.
pub fn serve(
    listener: std::net::TcpListener,
    node: Node,
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
        let device = Device::new(node);
        let served =
            tonic::transport::Server::builder().serve_with_incoming(P4Runtime(device.clone()), incoming);
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let ticking = async {
            loop {
                ticks.tick().await;
                device.with(|node, now| {
                    // A program that never finishes with a packet loses it; the controller has no message for that.
                    let _ = node.advance(now);
                });
            }
        };
        tokio::select! {
            done = served => done.map_err(Into::into),
            () = ticking => Ok(()),
            () = stop => Ok(()),
        }
    })
}

/// Messages to a controller.
type Outgoing = mpsc::Sender<Result<StreamMessageResponse, Status>>;

/// The device and its streams.
#[derive(Clone)]
struct Device {
    node: Arc<Mutex<Node>>,
    streams: Arc<Mutex<HashMap<ClientId, Outgoing>>>,
    start: Instant,
}

impl Device {
    fn new(node: Node) -> Device {
        Device { node: Arc::new(Mutex::new(node)), streams: Arc::default(), start: Instant::now() }
    }

    /// Runs `inner` on the device and delivers the messages that it left.
    fn with<T>(&self, inner: impl FnOnce(&mut Node, Time) -> T) -> T {
        let now = Time::ZERO + jettison_core::Duration::from_nanos(self.start.elapsed().as_nanos() as u64);
        let mut node = locked(&self.node);
        let result = inner(&mut node, now);
        // Frames of ports without an interface go nowhere.
        drop(node.take_departed());
        let streams = locked(&self.streams);
        for (client, message) in node.take_messages() {
            if let Some(stream) = streams.get(&client) {
                let _ = stream.try_send(Ok(message)); // dropped if the controller does not read
            }
        }
        result
    }

    /// Opens a stream: a task reads the controller's messages until it ends or breaks the rules.
    fn stream(&self, mut requests: Streaming<StreamMessageRequest>) -> Answers<StreamMessageResponse> {
        let (sender, mut receiver) = mpsc::channel(BACKLOG);
        let client = self.with(|node, _| node.open());
        locked(&self.streams).insert(client, sender.clone());
        let device = self.clone();
        tokio::spawn(async move {
            while let Some(Ok(message)) = requests.next().await {
                if let Err(fault) = device.with(|node, now| node.message(client, message, now)) {
                    let _ = sender.send(Err(status(fault))).await; // the controller may have gone
                    break;
                }
            }
            locked(&device.streams).remove(&client);
            device.with(|node, _| node.close(client));
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
                    let write = Unary(move |request: WriteRequest| device.write(&request));
                    grpc().unary(write, request).await
                }
                "Read" => grpc().server_streaming(Read(device), request).await,
                "SetForwardingPipelineConfig" => {
                    let set = Unary(move |request: SetForwardingPipelineConfigRequest| {
                        let done = device.with(|node, now| node.set_pipeline(&request, now));
                        done.map(|()| SetForwardingPipelineConfigResponse {}).map_err(status)
                    });
                    grpc().unary(set, request).await
                }
                "GetForwardingPipelineConfig" => {
                    let get = Unary(move |request: GetForwardingPipelineConfigRequest| {
                        let config = device.with(|node, _| node.pipeline(&request)).map_err(status)?;
                        Ok(GetForwardingPipelineConfigResponse { config: Some(config) })
                    });
                    grpc().unary(get, request).await
                }
                "StreamChannel" => grpc().streaming(Channel(device), request).await,
                "Capabilities" => {
                    let capabilities = Unary(|_: CapabilitiesRequest| {
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
    /// Errors of single updates go into the status's details (§12.3).
    fn write(&self, request: &WriteRequest) -> Result<WriteResponse, Status> {
        match self.with(|node, now| node.write(request, now)).map_err(status)? {
            None => Ok(WriteResponse {}),
            Some(errors) => {
                let failed = errors.iter().filter(|error| error.canonical_code != 0).count();
                let message = format!("{failed} of {} updates failed", errors.len());
                let details = errors.iter().map(|error| Any {
                    type_url: "type.googleapis.com/p4.v1.Error".to_owned(),
                    value: error.encode_to_vec(),
                });
                let code = tonic::Code::Unknown;
                let details =
                    RpcStatus { code: code as i32, message: message.clone(), details: details.collect() };
                Err(Status::with_details(code, message, details.encode_to_vec().into()))
            }
        }
    }
}

/// A method with one request and one response.
struct Unary<F>(F);

impl<F, T, U> UnaryService<T> for Unary<F>
where
    F: FnMut(T) -> Result<U, Status>,
{
    type Response = U;
    type Future = Ready<Result<Response<U>, Status>>;

    fn call(&mut self, request: Request<T>) -> Self::Future {
        ready((self.0)(request.into_inner()).map(Response::new))
    }
}

/// `Read`.
struct Read(Device);

impl ServerStreamingService<ReadRequest> for Read {
    type Response = ReadResponse;
    type ResponseStream = Answers<ReadResponse>;
    type Future = Ready<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<ReadRequest>) -> Self::Future {
        let read = self.0.with(|node, now| node.read(request.get_ref(), now)).map_err(status);
        ready(read.map(|mut entities| {
            let mut responses = Vec::new();
            while !entities.is_empty() {
                let rest = entities.split_off(entities.len().min(PER_RESPONSE));
                responses.push(Ok(ReadResponse { entities: std::mem::replace(&mut entities, rest) }));
            }
            let responses: Self::ResponseStream = Box::pin(stream::iter(responses));
            Response::new(responses)
        }))
    }
}

/// `StreamChannel`.
struct Channel(Device);

impl StreamingService<StreamMessageRequest> for Channel {
    type Response = StreamMessageResponse;
    type ResponseStream = Answers<StreamMessageResponse>;
    type Future = Ready<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<Streaming<StreamMessageRequest>>) -> Self::Future {
        ready(Ok(Response::new(self.0.stream(request.into_inner()))))
    }
}
