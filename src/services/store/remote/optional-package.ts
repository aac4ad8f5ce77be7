import packageFile from '../../../../package.json' with { type: 'json' };
import { StoreError } from '../store-error.ts';

type Optional = keyof typeof packageFile.peerDependencies;

/** Most bots keep their tasks in a file, so what other stores need is installed only where it is wanted. */
export async function optional<T>(load: () => Promise<T>, ...names: Optional[]): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    const exact = names.map((name) => `${name}@${packageFile.peerDependencies[name]}`).join(' ');
    throw new StoreError(
      'unsupported',
      `The store that STORE_URL names needs more than is installed. Run: npm install --no-save --include=dev ${exact}`,
    );
  }
}
