import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sockets } from './sockets.ts';

/** Switches a server off, so that connections are refused, and on again at the same address. */
export class PowerSwitch {
  readonly #server: Server;
  readonly #sockets: Sockets;
  readonly #address: AddressInfo;
  #last: Promise<void> = Promise.resolve();

  constructor(server: Server, sockets: Sockets) {
    this.#server = server;
    this.#sockets = sockets;
    this.#address = server.address() as AddressInfo;
  }

  get isOn(): boolean {
    return this.#server.listening;
  }

  /** Changes are applied one after another. */
  set(isOn: boolean): Promise<void> {
    const apply = () => this.#switch(isOn);
    this.#last = this.#last.then(apply, apply);
    return this.#last;
  }

  async #switch(isOn: boolean): Promise<void> {
    if (isOn === this.isOn) return;
    if (isOn) {
      const { port, address: host } = this.#address;
      this.#server.listen({ port, host });
      await once(this.#server, 'listening');
      return;
    }
    const closed = new Promise<void>((resolve, reject) =>
      this.#server.close((error) => (error ? reject(error) : resolve())),
    );
    this.#server.closeAllConnections();
    this.#sockets.destroy();
    await closed;
  }
}
