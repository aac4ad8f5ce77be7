import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

/** A test of `test:quick` that opens a socket or starts a process fails: it belongs in a file named `….integration.test.ts`. */
const refuse = (): never => {
  throw new Error(
    'Tests of `npm run test:quick` open no sockets and start no processes. Name this file ….integration.test.ts.',
  );
};

Socket.prototype.connect = refuse;
Server.prototype.listen = refuse;
Object.defineProperty(ChildProcess.prototype, 'spawn', { value: refuse });
