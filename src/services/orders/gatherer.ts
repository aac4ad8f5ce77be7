import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { GatewayError, type GatewayErrorKind, withTakenEffect } from '../gateway/errors.ts';
import { dataUri, type FileContent } from '../media/content.ts';
import type { Media } from '../media/media.ts';
import { signatureExpiry } from '../media/signed-urls.ts';
import type {
  Gather,
  GatherContext,
  MemberFile,
  PreparedReference,
  Reference,
  Region,
  WholeImage,
} from '../tasks/materials.ts';
import { FETCH_LIMIT_MS, MB, MemberFiles, type MemberFilesParts, megabytesOf, withRelease } from './member-files.ts';
import type { ReachCheck } from './reach-check.ts';

interface GathererParts extends Omit<MemberFilesParts, 'memberId'> {
  canReach: ReachCheck;
  /** Stores an image with the gateway and returns its URL. */
  upload(image: string): Promise<string | undefined>;
  clock: Clock;
}

const MAX_IMAGES = 5;
/** All files are sent in one body as base64, which makes them a third larger, and reverse proxies rarely accept more than 64 MB. */
const MAX_TOTAL_BYTES = 40 * MB;
/** After the gateway has refused a request as too large, images are reduced to this size or to half their size, whichever is smaller. */
const REDUCED_IMAGE_BYTES = 2 * MB;
/** Images are not reduced below this size: they cannot be the cause, and would become unusable. */
const MIN_IMAGE_BYTES = 100_000;

export function createGatherer(parts: GathererParts): Gather {
  return async ({ pictures: images = [], region, references = [], documents = [], sound }, context) => {
    if (images.length > MAX_IMAGES) {
      const count = String(images.length);
      throw new Refusal('refusals.tooManyImages', { count, max: String(MAX_IMAGES) });
    }
    const files = new MemberFiles({ ...parts, memberId: context.memberId });
    const attachments = new Attachments(parts, files, context);
    return {
      ...(images.length > 0 && { images: await attachments.images(images) }),
      ...(region && { mask: dataUri('image/png', await maskOf(region, parts.media, files)) }),
      ...(documents.length > 0 && { documents: await files.readDocuments(documents) }),
      ...(sound && { sound: await files.readAudio(sound) }),
      ...(references.length > 0 && { references: await attachments.references(references) }),
    };
  };
}

/** Errors that mean that the gateway does not support uploads: the endpoint is missing, or its response contains no URL. */
const UPLOADS_UNSUPPORTED: ReadonlySet<GatewayErrorKind> = new Set(['not-offered', 'not-found', 'malformed']);

/** The images sent inside a request, and the files that the gateway fetches itself. */
class Attachments {
  readonly #parts: GathererParts;
  readonly #files: MemberFiles;
  readonly #context: GatherContext;
  #bytes = 0;

  constructor(parts: GathererParts, files: MemberFiles, context: GatherContext) {
    this.#parts = parts;
    this.#files = files;
    this.#context = context;
  }

  /** Encodes files as data URIs one at a time, so a request holds at most one file in the memory that all requests share. */
  async images(imageFiles: readonly MemberFile[]): Promise<string[]> {
    return await Array.fromAsync(imageFiles, (one) => this.#files.withFile(one, (file) => this.#addImage(file)));
  }

  /** Checks each file, also one at a time, and passes it by URL if the gateway can reach it. */
  async references(references: readonly Reference[]) {
    return await Array.fromAsync(references, (one) => this.#resolveReference(one));
  }

  async #addImage(file: FileContent): Promise<string> {
    const image = await this.#files.checkImage(file);
    const added = this.#context.shouldShrink ? await this.#shrink(image) : image;
    this.#bytes += added.bytes.length;
    if (this.#bytes > MAX_TOTAL_BYTES) {
      throw new Refusal('refusals.imagesTooLarge', { megabytes: megabytesOf(MAX_TOTAL_BYTES) });
    }
    return added.dataUri;
  }

  async #shrink(image: Parameters<Media['fit']>[0]) {
    const max = Math.max(MIN_IMAGE_BYTES, Math.min(REDUCED_IMAGE_BYTES, Math.floor(image.bytes.length / 2)));
    const fitted = await this.#parts.media.fit(image, max);
    if (fitted.how === 'none')
      throw new Refusal('refusals.imagesTooLarge', { megabytes: megabytesOf(REDUCED_IMAGE_BYTES) });
    return { bytes: fitted.bytes, dataUri: dataUri(fitted.type.mime, fitted.bytes) };
  }

  async #resolveReference(reference: Reference): Promise<PreparedReference> {
    const { address, medium, takes } = reference;
    const { transfer = 'address' } = this.#context;
    const problem = await this.#urlProblem(reference);
    // Do not fetch a file that could not be used anyway.
    if (problem && (medium === 'video' || medium === 'audio')) throw problem;
    const isByUrl = transfer === 'address' && !problem;
    const file = await this.#files.withFile(reference, async (content) => {
      const { kind } = content.type;
      if (kind !== 'image') return { kind };
      if (!isByUrl) return { kind, image: await this.#addImage(content) };
      await this.#files.checkImage(content);
      return { kind };
    });
    if (!file.image) {
      if (problem) throw problem;
      return { medium: file.kind, uri: address };
    }
    const isData = transfer === 'base64' || (transfer === 'address' && takes === 'address or data');
    return { medium: 'image', uri: isData ? file.image : await this.#upload(file.image, problem) };
  }

  /** If the gateway does not support uploads, the file can only be passed by URL. */
  async #upload(image: string, problem: Refusal | undefined): Promise<string> {
    try {
      const uploadedUrl = await this.#parts.upload(image);
      if (uploadedUrl !== undefined) return uploadedUrl;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      // Nothing has been submitted, and uploading an image twice does no harm.
      if (!UPLOADS_UNSUPPORTED.has(error.kind)) throw withTakenEffect(error, false);
      this.#parts.log.info({ kind: error.kind }, 'The gateway did not store an uploaded image.');
    }
    throw problem ?? new Refusal('refusals.uploadsNotSupported');
  }

  /** Why the file cannot be passed by URL. The gateway may fetch it as late as the end of the wait limit. */
  async #urlProblem({ address, name }: Reference): Promise<Refusal | undefined> {
    const { timeLimitMs } = this.#context;
    const expiresAt = signatureExpiry(address);
    if (!(await this.#parts.canReach(address)))
      return expiresAt === undefined
        ? new Refusal('refusals.referenceNotPublic', { name })
        : new Refusal('refusals.referenceUnreachable', { name });
    const now = this.#parts.clock.now();
    if (expiresAt === undefined || expiresAt >= now + timeLimitMs) return undefined;
    const variables = { name, until: Math.floor(expiresAt / 1000) };
    if (expiresAt <= now) throw new Refusal('refusals.referenceExpired', variables);
    return new Refusal('refusals.referenceExpiresSoon', { ...variables, duration: timeLimitMs / 1_000 });
  }
}

interface Size {
  width: number;
  height: number;
}

async function maskOf(region: Region, media: Media, files: MemberFiles): Promise<Buffer> {
  if ('drawn' in region) {
    const { drawn, of: image } = region;
    return await files.withFile(drawn, async (file) => {
      const mask = await media.readDrawnMask(file);
      if (mask.marks !== 'a part') throw new Refusal(MASK_REFUSALS[mask.marks], { name: drawn.name });
      const imageSize = image && (await sizeIfKnown(image, media, files));
      if (imageSize) requireSameShape(drawn.name, await media.imageFacts(mask.bytes), imageSize);
      return mask.bytes;
    });
  }
  try {
    return await media.createSideMask(region.side, await sizeOf(region.of, media));
  } catch (error) {
    files.toExpectedError(error);
    throw new Refusal('refusals.maskSizeUnknown');
  }
}

const MASK_REFUSALS = {
  nothing: 'refusals.maskEmpty',
  everything: 'refusals.maskFull',
  unclear: 'refusals.maskUnclear',
} as const;

/** A mask is what the member is asked for if the size of the image is unknown, so it is not refused then. */
async function sizeIfKnown(image: WholeImage, media: Media, files: MemberFiles): Promise<Size | undefined> {
  try {
    return await sizeOf(image, media);
  } catch (error) {
    files.toExpectedError(error);
    return undefined;
  }
}

/** The gateway accepts a mask of another shape, and charges for a change in the wrong place. */
function requireSameShape(name: string, mask: Size, image: Size): void {
  // Programs round the sides of a scaled image to whole pixels.
  const height = (mask.width * image.height) / image.width;
  if (Math.abs(mask.height - height) <= Math.max(1, height * MAX_SHAPE_DIFFERENCE)) return;
  throw new Refusal('refusals.maskShape', { name, size: formatSize(mask), imageSize: formatSize(image) });
}

const MAX_SHAPE_DIFFERENCE = 0.01;

const formatSize = ({ width, height }: Size): string => `${width} × ${height}`;

async function sizeOf({ address, width = 0, height = 0 }: WholeImage, media: Media): Promise<Size> {
  const isKnown = [width, height].every((length) => Number.isSafeInteger(length) && length > 0);
  return isKnown ? { width, height } : await measure(address, media);
}

/** Measures a result from the gateway. Fetching the result may require the API key. */
async function measure(url: string, media: Media) {
  const image = await media.fetch({ address: url }, { timeoutMs: FETCH_LIMIT_MS });
  return await withRelease(image, () => media.imageFacts(image));
}
