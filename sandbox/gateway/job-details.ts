import type { FollowUp } from './custom-ids.ts';
import type { Scene } from './studio/index.ts';

/** A reference file: its bytes, or its URL. */
export type Source =
  | { readonly from: 'request'; readonly bytes: Buffer; readonly mime: string | undefined }
  | { readonly from: 'address'; readonly url: string };

/** The parameters of a result file, which is generated when it is first downloaded. */
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
  /** An uploaded file, which is stored unchanged. */
  | { readonly make: 'copy' };

export type Four<Item> = readonly [Item, Item, Item, Item];
type ImageFormat = 'png' | 'jpeg' | 'webp';

export interface Result {
  /** The last part of its URL, such as `1.png`. */
  readonly name: string;
  readonly recipe: Recipe;
}

interface JobWithResults {
  readonly results: readonly Result[];
  /** Fetched or decoded when the job starts. */
  readonly sources: readonly Source[];
}

export interface ImageDetails extends JobWithResults {
  readonly family: 'image';
}

export type ImgxAction =
  | ('IMAGINE' | 'UPSCALE' | 'VARIATION' | 'REROLL' | 'DESCRIBE' | 'BLEND' | 'SHORTEN' | 'ZOOM' | 'PAN')
  | ('INPAINT' | 'CUSTOM_ZOOM' | 'UPLOAD' | 'VIDEO' | 'EDITS');

/** The kind of result, which determines the buttons. */
export type ResultKind = 'grid' | 'single' | 'video' | 'lines' | 'drafts' | 'files';

export interface ImgxDetails extends JobWithResults {
  readonly family: 'imgx';
  readonly action: ImgxAction;
  readonly yields: ResultKind;
  /** Four for a grid, one for a single image, one for each video. */
  readonly scenes: readonly Scene[];
  readonly aspect: number;
  /** Part of the custom ids of its buttons. */
  readonly uuid: string;
  readonly botType: string;
  /** The client's own value, returned unchanged. */
  readonly state: string;
  readonly notifyHook?: string;
  readonly parent?: string;
  /** The task whose reference images this one shares, so that an upscale looks like the image that it enlarges. */
  readonly referencesFrom?: string;
  readonly customId?: string;
  /** The lines of a describe task, or the drafts of a shorten task. */
  readonly lines?: readonly string[];
  readonly mask?: Buffer;
  /** The follow-up that `submit/modal` starts; set while the task waits for its modal. */
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
  readonly notifyHook?: string;
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
