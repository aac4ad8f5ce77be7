import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy to a server whose connections can be dropped or silenced while the server itself keeps running. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isDisconnected = false;
  #isSilent = false;
  /** What was held back, by the connection to the server. */
  readonly #heldBack = new Map<Socket, Buffer[]>();
  readonly #clients = new Map<Socket, Socket>();
  readonly url: string;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async open(target: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(target);
    const address = server.address();
    url.port = String(typeof address === 'object' && address?.port);
    const proxy = new TcpProxy(server, url.href);
    server.on('connection', (client) => proxy.#relay(client, connect(Number(port), hostname)));
    onTestFinished(() => proxy.#close());
    return proxy;
  }

  /** Behaves as if the server were gone: connections break and new ones fail. */
  disconnect(): void {
    this.#isDisconnected = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Behaves as if the network dropped everything, without notifying either side. */
  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What the clients of the current connections send is held back. */
  holdBack(): void {
    for (const upstream of this.#clients.values()) this.#heldBack.set(upstream, []);
  }

  /** Breaks the connections of the clients whose data is held back. The server does not notice. */
  cutHeldClients(): void {
    for (const [client, upstream] of this.#clients) if (this.#heldBack.has(upstream)) client.resetAndDestroy();
  }

  /** Delivers what was held back, and resolves once the server has responded to all of it. */
  async deliverLate(): Promise<void> {
    for (const [upstream, chunks] of this.#heldBack) {
      if (chunks.length === 0) continue;
      const responded = once(upstream, 'data');
      upstream.write(Buffer.concat(chunks));
      await responded;
    }
  }

  restore(): void {
    this.#isDisconnected = false;
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.resume();
  }

  #relay(client: Socket, upstream: Socket): void {
    this.#clients.set(client, upstream);
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      // The peer is destroyed when the socket closes.
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        const heldBack = this.#heldBack.get(peer);
        if (heldBack) heldBack.push(chunk);
        else peer.write(chunk);
      });
      socket.on('close', () => {
        this.#sockets.delete(socket);
        if (!this.#heldBack.has(peer)) peer.destroy();
      });
    }
    if (this.#isDisconnected) client.resetAndDestroy();
    if (this.#isSilent) client.pause();
  }

  #close(): void {
    this.disconnect();
    this.#server.close();
  }
}
