import packageFile from '../../../package.json' with { type: 'json' };
import { unsupportedError } from './backend.ts';

type OptionalPackage = keyof typeof packageFile.peerDependencies;

/** Most bots use a file, so the clients of other stores are installed only if needed. */
export async function importOptional<T>(load: () => Promise<T>, ...names: OptionalPackage[]): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    const packages = names.map((name) => `${name}@${packageFile.peerDependencies[name]}`).join(' ');
    throw unsupportedError(
      `The store needs packages that are not installed. Run: npm install --no-save --include=dev ${packages}`,
    );
  }
}
