export interface GeneratedFile {
  readonly bytes: Buffer;
  readonly mime: string;
}

/** Caches files up to a total size; the least recently used file is removed first. */
export class FileCache {
  readonly #limit: number;
  readonly #files = new Map<string, GeneratedFile>();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(name: string): GeneratedFile | undefined {
    const file = this.#files.get(name);
    if (!file) return undefined;
    this.#files.delete(name);
    this.#files.set(name, file);
    return file;
  }

  put(name: string, file: GeneratedFile): void {
    this.delete(name);
    this.#files.set(name, file);
    this.#size += file.bytes.length;
    for (const oldest of this.#files.keys()) {
      if (this.#size <= this.#limit) return;
      this.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#size -= this.#files.get(name)?.bytes.length ?? 0;
    this.#files.delete(name);
  }

  deleteAll(prefix: string): void {
    for (const name of this.#files.keys()) if (name.startsWith(prefix)) this.delete(name);
  }
}
