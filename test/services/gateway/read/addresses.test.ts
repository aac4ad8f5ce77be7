import { describe, expect, it } from 'vitest';
import { type ResponseContext, readAddress } from '../../../../src/services/gateway/read/media.ts';
import { place } from './body.ts';

const at = (base: string, imgxPath = '/imgx'): ResponseContext => ({ ...place, base: new URL(base), imgxPath });

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
    expect(readAddress(url, place)).toBe(target);
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
    expect(readAddress(text, place)).toBeUndefined();
  });

  it.each([
    'http://localhost//',
    'http://localhost//[',
    'http://127.0.0.1//:1',
    'http://localhost:3000//mj/image/17',
    'http://localhost:3000///evil.example/a.png',
  ])('A URL in a response never leads to another host than the gateway and never makes the reader fail: %s', (url) => {
    const target = readAddress(url, place);
    expect(target === undefined ? 'gateway.example' : new URL(target).host).toBe('gateway.example');
  });

  it('A URL in a response keeps its loopback host if the gateway itself is on loopback, except for proxied images', () => {
    const here = at('http://localhost:4010');
    expect(readAddress('http://localhost:9000/a.png', here)).toBe('http://localhost:9000/a.png');
    expect(readAddress('http://127.0.0.1:3000/mj/image/17', here)).toBe('http://localhost:4010/mj/image/17');
    expect(readAddress('http://localhost:3000/imgx/image/17', here)).toBe('http://localhost:4010/imgx/image/17');
    expect(readAddress('http://localhost:3000/fast/image/17', at('http://localhost:4010', '/fast'))).toBe(
      'http://localhost:4010/fast/image/17',
    );
  });

  it('A URL in a response keeps a third-party host', () => {
    expect(readAddress('https://cdn.example/image/17', place)).toBe('https://cdn.example/image/17');
  });
});
