import { describe, expect, it } from 'vitest';
import { type ResponseContext, readUrl } from '../../../../src/services/gateway/read/media.ts';
import { responseContext } from './body.ts';

const contextAt = (base: string, imgxPath = '/imgx'): ResponseContext => ({
  ...responseContext,
  base: new URL(base),
  imgxPath,
});

describe('A URL in a response', () => {
  it.each([
    ['https://cdn.example/a%20b.png?x=1&y=2#z', 'https://cdn.example/a%20b.png?x=1&y=2#z'],
    [' https://cdn.example/a.png ', 'https://cdn.example/a.png'],
    ['HTTPS://CDN.example/A.png', 'https://cdn.example/A.png'],
    ['/files/a.png', 'https://gateway.example/files/a.png'],
    ['//cdn.example/a.png', 'https://cdn.example/a.png'],
    ['http://localhost:3000/files/a.png', 'https://gateway.example/files/a.png'],
    ['http://LOCALHOST/files/a.png?x=1', 'https://gateway.example/files/a.png?x=1'],
    ['http://127.0.0.1:8080/a.png', 'https://gateway.example/a.png'],
    ['http://127.1/a.png', 'https://gateway.example/a.png'],
    ['http://[::1]:8080/a.png', 'https://gateway.example/a.png'],
    ['http://localhost.example/a.png', 'http://localhost.example/a.png'],
  ])('A URL in a response is read: %s becomes %s', (url, target) => {
    expect(readUrl(url, responseContext)).toBe(target);
  });

  it.each([
    '',
    'a.png',
    'files/a.png',
    'https://',
    'http:///',
    'ftp://cdn.example/a.png',
    'data:image/png;base64,AAAA',
    'the file is at https://cdn.example/a.png',
    'https://cdn.example/a b.png',
    'https://[::1/a.png',
  ])('A URL in a response is rejected: "%s"', (text) => {
    expect(readUrl(text, responseContext)).toBeUndefined();
  });

  it.each([
    'http://localhost//',
    'http://localhost//[',
    'http://127.0.0.1//:1',
    'http://localhost:3000//mj/image/17',
    'http://localhost:3000///evil.example/a.png',
  ])(
    'A URL in a response never leads to a host other than the gateway, and never makes the reader throw: %s',
    (url) => {
      const target = readUrl(url, responseContext);
      expect(target === undefined ? 'gateway.example' : new URL(target).host).toBe('gateway.example');
    },
  );

  it('A URL in a response keeps its loopback host if the gateway itself is on loopback, except for proxied images', () => {
    const loopback = contextAt('http://localhost:4010');
    expect(readUrl('http://localhost:9000/a.png', loopback)).toBe('http://localhost:9000/a.png');
    expect(readUrl('http://127.0.0.1:3000/mj/image/17', loopback)).toBe('http://localhost:4010/mj/image/17');
    expect(readUrl('http://localhost:3000/imgx/image/17', loopback)).toBe('http://localhost:4010/imgx/image/17');
    expect(readUrl('http://localhost:3000/fast/image/17', contextAt('http://localhost:4010', '/fast'))).toBe(
      'http://localhost:4010/fast/image/17',
    );
  });

  it('A URL in a response keeps a third-party host', () => {
    expect(readUrl('https://cdn.example/image/17', responseContext)).toBe('https://cdn.example/image/17');
  });
});
