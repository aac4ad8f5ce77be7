import { describe, expect, it } from 'vitest';
import { createGuardedLookup, isPublicAddress } from '../../../src/services/media/hosts.ts';

describe('The public internet', () => {
  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
    ...[
      '127.0.0.1',
      '127.255.255.254',
      '168.63.129.16',
      '169.254.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...['192.0.0.1', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.1', '198.18.0.1', '198.19.255.255'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::7f00:1',
      '64:ff9b::7f00:1',
      '64:ff9b::808:808',
      '64:ff9b:1::1',
    ],
    ...['100::1', '2001::1', '2001:10::1', '2001:20::1', '2001:db8::1', '2002:7f00:1::', '2002:808:808::1', '3fff::1'],
    ...['5f00::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', '2606:4700::1111%eth0', 'fec0::1', 'ff02::1'],
    ...['localhost', '', '1.2.3', '8.8.8.8:80', '[2606:4700::1111]', 'not an address'],
  ])('The public internet excludes %j', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    ...[
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.1',
    ],
    ...[
      '168.63.129.15',
      '169.253.255.255',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
    ],
    ...[
      '198.20.0.0',
      '223.255.255.255',
      '2001:200::1',
      '2001:4860:4860::8888',
      '2003::1',
      '2606:4700:4700::1111',
      '2a00::1',
    ],
  ])('The public internet includes %j', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('The guarded look-up of a host name', () => {
  const public4 = { address: '1.1.1.1', family: 4 };
  const public6 = { address: '2606:4700:4700::1111', family: 6 };

  function lookUp(addresses: (typeof public4)[], all: boolean): Promise<unknown[]> {
    const lookup = createGuardedLookup(async () => addresses);
    return new Promise((resolve) => lookup('files.example', { all }, (...args) => resolve(args)));
  }

  it('The guarded look-up of a host name returns every address to a caller that tries them one after the other', async () => {
    expect(await lookUp([public6, public4], true)).toEqual([null, [public6, public4]]);
  });

  it('The guarded look-up of a host name returns the first address to a caller that wants only one', async () => {
    expect(await lookUp([public6, public4], false)).toEqual([null, public6.address, 6]);
  });

  it('The guarded look-up of a host name returns no address if any of them is not public', async () => {
    for (const all of [true, false]) {
      const [error] = await lookUp([public4, { address: '192.168.1.1', family: 4 }], all);
      expect(error).toMatchObject({ kind: 'forbidden-address' });
    }
  });
});
