import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** The upgraded connections, which Node's HTTP server does not close itself. */
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
