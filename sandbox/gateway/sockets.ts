import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Connections that were asked to become sockets, which a server forgets: nothing but these knows how to end them. */
export class Sockets {
  readonly #open = new Set<Duplex>();

  constructor(server: Server) {
    server.on('upgrade', (_, socket: Duplex) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
