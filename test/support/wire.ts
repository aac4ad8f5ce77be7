import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy to a server whose connections can be cut or silenced while the server itself keeps running. */
export class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #isSilent = false;
  readonly url: string;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async to(target: string): Promise<Wire> {
    const { hostname, port } = new URL(target);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(target);
    const address = server.address();
    url.port = String(typeof address === 'object' && address?.port);
    const wire = new Wire(server, url.href);
    server.on('connection', (near) => wire.#join(near, connect(Number(port), hostname)));
    onTestFinished(() => wire.#close());
    return wire;
  }

  /** Behaves as if the server were gone: connections break and new ones fail. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Behaves as if the network dropped everything, without notifying either side. */
  silence(): void {
    this.#isSilent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  mend(): void {
    this.#isCut = false;
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.resume();
  }

  #join(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      // The other end reports errors of its own.
      from.on('error', () => to.destroy());
      from.on('data', (piece) => to.write(piece));
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    if (this.#isCut) near.resetAndDestroy();
    if (this.#isSilent) near.pause();
  }

  #close(): void {
    this.cut();
    this.#server.close();
  }
}
