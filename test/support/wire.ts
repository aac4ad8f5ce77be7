import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy to a server whose connections can be dropped or silenced while the server itself keeps running. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isDisconnected = false;
  #isSilent = false;
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

  restore(): void {
    this.#isDisconnected = false;
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.resume();
  }

  #relay(client: Socket, upstream: Socket): void {
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(socket);
      // The peer reports its own errors.
      socket.on('error', () => peer.destroy());
      socket.on('data', (chunk) => peer.write(chunk));
      socket.on('close', () => {
        this.#sockets.delete(socket);
        peer.destroy();
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
