import { type DefaultRestOptions, HTTPError } from 'discord.js';

type MakeRequest = typeof DefaultRestOptions.makeRequest;

/**
 * The library sends a request again where it was answered with a 5xx, reset or too late. A POST may have been carried out all the same, and
 * a message would stand there twice: its outcome is unknown, and whoever sent it decides. A 429 was refused for certain, so the library
 * goes on waiting and sending by itself.
 */
export function sentOnce(make: MakeRequest): MakeRequest {
  return async (url, init) => {
    if (init.method !== 'POST') return make(url, init);
    const response = await make(url, init).catch((cause: unknown) => {
      // By its name or its code the library would know it for one to repeat.
      throw new Error('Discord did not say what became of a message.', { cause });
    });
    if (response.status < 500) return response;
    await response.arrayBuffer();
    const { headers, status, statusText } = response;
    const fail = async (): Promise<never> => {
      throw new HTTPError(status, statusText, 'POST', url, { body: undefined, files: undefined });
    };
    // The library reads from its headers how many requests are left, and fails where it reads the body: by then it repeats nothing.
    return {
      ok: true,
      headers,
      status,
      statusText,
      body: null,
      bodyUsed: true,
      json: fail,
      text: fail,
      arrayBuffer: fail,
    };
  };
}
