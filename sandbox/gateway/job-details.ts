import type { FollowUp } from './custom-ids.ts';
import type { Scene } from './studio/index.ts';

/** A reference as the request gave it: its bytes, or where they are. */
export type Source =
  | { readonly from: 'request'; readonly bytes: Buffer; readonly mime: string | undefined }
  | { readonly from: 'address'; readonly url: string };

/** How a result file is made. It is made at its first fetch. */
export type Recipe =
  | {
      readonly make: 'image';
      readonly scene: Scene;
      readonly width: number;
      readonly height: number;
      readonly format: ImageFormat;
    }
  | { readonly make: 'grid'; readonly scenes: Four<Scene>; readonly width: number; readonly height: number }
  | {
      readonly make: 'edit';
      readonly before: Scene;
      readonly after: Scene;
      readonly width: number;
      readonly height: number;
    }
  | {
      readonly make: 'video';
      readonly scene: Scene;
      readonly width: number;
      readonly height: number;
      readonly seconds: number;
    }
  | { readonly make: 'song'; readonly prompt: string; readonly seed: number; readonly seconds: number }
  /** Uploaded as it is: kept, not made. */
  | { readonly make: 'copy' };

export type Four<Item> = readonly [Item, Item, Item, Item];
type ImageFormat = 'png' | 'jpeg' | 'webp';

export interface Result {
  /** `1.png`: the last part of its address. */
  readonly name: string;
  readonly recipe: Recipe;
}

interface JobWithResults {
  readonly results: readonly Result[];
  /** Fetched or decoded when the job starts; images only. */
  readonly sources: readonly Source[];
}

export interface ImageDetails extends JobWithResults {
  readonly family: 'image';
}

export type ImgxAction =
  | ('IMAGINE' | 'UPSCALE' | 'VARIATION' | 'REROLL' | 'DESCRIBE' | 'BLEND' | 'SHORTEN' | 'ZOOM' | 'PAN')
  | ('INPAINT' | 'CUSTOM_ZOOM' | 'UPLOAD' | 'VIDEO' | 'EDITS');

/** What an image task shows when it has ended, which decides its buttons. */
export type ResultKind = 'grid' | 'single' | 'video' | 'lines' | 'drafts' | 'files';

export interface ImgxDetails extends JobWithResults {
  readonly family: 'imgx';
  readonly action: ImgxAction;
  readonly yields: ResultKind;
  /** Four of a grid, one of a single image, those of a video's first frames. */
  readonly scenes: readonly Scene[];
  readonly aspect: number;
  /** In custom ids. */
  readonly uuid: string;
  readonly botType: string;
  /** The caller's own mark, given back as it came. */
  readonly state: string;
  readonly notifyHook?: string;
  readonly parent?: string;
  /** The task whose reference images this one shares: an upscale must look like what it enlarges. */
  readonly referencesFrom?: string;
  readonly customId?: string;
  /** describe's lines, shorten's drafts. */
  readonly lines?: readonly string[];
  readonly mask?: Buffer;
  /** What `submit/modal` will set going; there while the task waits for words. */
  readonly pendingFollowUp?: FollowUp;
}

export interface VideoDetails extends JobWithResults {
  readonly family: 'video';
  readonly endpoint: 'generations' | 'videos' | 'image2video';
  readonly metadata: Record<string, unknown>;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly mode?: string;
}

export interface Clip {
  readonly id: string;
  readonly title: string;
  readonly audioFile: string;
  readonly coverFile: string;
  readonly seconds: number;
}

export interface MusicDetails extends JobWithResults {
  readonly family: 'music';
  readonly action: 'MUSIC' | 'LYRICS';
  readonly title: string;
  readonly tags: string;
  readonly description?: string;
  readonly instrumental: boolean;
  readonly clips: readonly Clip[];
  readonly lyrics?: string;
  readonly notifyHook?: string;
}
