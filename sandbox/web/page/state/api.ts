import type { ErrorBody } from '../../protocol.ts';

const STORAGE_KEY = 'atelier.token';

/** Passed in the URL fragment, which is never sent to a server; stored for reloads without the fragment. */
export const token = (() => {
  const fragment = location.hash.slice(1);
  if (fragment !== '') sessionStorage.setItem(STORAGE_KEY, fragment);
  return fragment === '' ? (sessionStorage.getItem(STORAGE_KEY) ?? '') : fragment;
})();

/** A failed request, with the server's message. */
class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export async function getJson<T>(path: string): Promise<T> {
  return await requestJson<T>(path, {});
}

export async function postJson<T>(path: string, body: unknown): Promise<T> {
  return await requestJson<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function requestJson<T>(path: string, init: RequestInit): Promise<T> {
  const headers = { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${token}` };
  const response = await fetch(path, { ...init, headers }).catch(() => {
    throw new RequestError('The sandbox is not responding. Check that it is still running in the terminal.', 0);
  });
  const text = await response.text();
  const body = text === '' ? {} : (JSON.parse(text) as unknown);
  if (!response.ok)
    throw new RequestError(
      (body as Partial<ErrorBody>).error ?? `The sandbox returned status ${response.status}.`,
      response.status,
    );
  return body as T;
}

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
