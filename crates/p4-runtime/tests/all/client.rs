//! A small gRPC client of P4Runtime.

use std::net::SocketAddr;

use futures_util::stream;
use jettison_p4_runtime::proto::runtime::*;
use prost::Message;
use tokio::sync::mpsc;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Request, Status, Streaming};
use tonic_prost::ProstCodec;

pub struct Client {
    grpc: Grpc<Channel>,
    pub requests: mpsc::UnboundedSender<StreamMessageRequest>,
    pub responses: Streaming<StreamMessageResponse>,
}

fn path(method: &str) -> PathAndQuery {
    format!("/p4.v1.P4Runtime/{method}").parse().unwrap()
}

impl Client {
    /// Connects and opens a stream with this election id.
    pub async fn connect(server: SocketAddr, election: u64) -> Client {
        let channel = Channel::from_shared(format!("http://{server}")).unwrap().connect().await.unwrap();
        let mut grpc = Grpc::new(channel);
        let (requests, mut receiver) = mpsc::unbounded_channel();
        requests.send(super::support::arbitration(1, election)).unwrap();
        grpc.ready().await.unwrap();
        let stream = Request::new(stream::poll_fn(move |cx| receiver.poll_recv(cx)));
        let codec: ProstCodec<StreamMessageRequest, StreamMessageResponse> = ProstCodec::default();
        let responses = grpc.streaming(stream, path("StreamChannel"), codec).await.unwrap().into_inner();
        Client { grpc, requests, responses }
    }

    /// The next message of the stream.
    pub async fn next(&mut self) -> Result<StreamResponse, Status> {
        Ok(self.responses.message().await?.unwrap().update.unwrap())
    }

    pub async fn call<T, U>(&mut self, method: &str, request: T) -> Result<U, Status>
    where
        T: Message + Send + Sync + 'static,
        U: Message + Default + Send + Sync + 'static,
    {
        self.grpc.ready().await.unwrap();
        let codec: ProstCodec<T, U> = ProstCodec::default();
        Ok(self.grpc.unary(Request::new(request), path(method), codec).await?.into_inner())
    }

    pub async fn read(&mut self, request: ReadRequest) -> Result<Vec<Entity>, Status> {
        self.grpc.ready().await.unwrap();
        let codec: ProstCodec<ReadRequest, ReadResponse> = ProstCodec::default();
        let answers = self.grpc.server_streaming(Request::new(request), path("Read"), codec).await?;
        let mut answers = answers.into_inner();
        let mut entities = Vec::new();
        while let Some(answer) = answers.message().await? {
            entities.extend(answer.entities);
        }
        Ok(entities)
    }
}
