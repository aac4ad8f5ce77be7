import { describe, expect, it } from 'vitest';
import { createGateway } from '../../../../src/services/gateway/gateway.ts';
import { defaultSettings, isUnencrypted } from '../../../../src/services/gateway/settings.ts';

const isReadable = (url: string): boolean => isUnencrypted(new URL(url));

describe('A gateway over plain http', () => {
  it.each([
    'http://gateway.example',
    'http://10.0.0.7:3000',
    'http://192.168.1.4',
    'http://[fd00::7]:8080/v1',
    'http://localhost.example',
    'http://128.0.0.1',
    'http://0.0.0.0:3000',
  ])('Traffic over plain http to a gateway on another machine can be read in transit: %s', (url) =>
    expect(isReadable(url)).toBe(true),
  );

  it.each([
    'https://gateway.example',
    'http://localhost:3000',
    'http://localhost.:3000',
    'http://gateway.localhost',
    'http://127.0.0.1:3000',
    'http://127.8.9.1',
    'http://127.1',
    'http://[::1]:3000/v1',
    'http://[::ffff:127.0.0.1]',
  ])('Traffic to a gateway on this machine or over https cannot be read in transit: %s', (url) =>
    expect(isReadable(url)).toBe(false),
  );

  it('The bot logs a warning at startup about a gateway over plain http, and names the setting to change', async () => {
    const warnings: string[] = [];
    const log = { info: () => undefined, warn: (_: object, message: string) => warnings.push(message) };
    for (const baseUrl of ['http://gateway.invalid', 'http://127.0.0.1:9', 'https://gateway.invalid'])
      await createGateway({ ...defaultSettings, baseUrl, apiKey: 'sk-of-a-test' }, { log }).close();
    expect(warnings).toEqual([expect.stringContaining('GATEWAY_BASE_URL')]);
  });
});
