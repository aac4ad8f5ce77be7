export interface MediaType {
  readonly kind: 'image' | 'video' | 'audio';
  readonly mime: string;
  /** Without the dot. */
  readonly extension: string;
}

/** All types that are passed on. SVG is missing because it can contain programs; Matroska, HEIC and AAC because Discord would not show them. */
export const mediaTypes = {
  png: { kind: 'image', mime: 'image/png', extension: 'png' },
  jpeg: { kind: 'image', mime: 'image/jpeg', extension: 'jpg' },
  webp: { kind: 'image', mime: 'image/webp', extension: 'webp' },
  gif: { kind: 'image', mime: 'image/gif', extension: 'gif' },
  avif: { kind: 'image', mime: 'image/avif', extension: 'avif' },
  mp4: { kind: 'video', mime: 'video/mp4', extension: 'mp4' },
  mov: { kind: 'video', mime: 'video/quicktime', extension: 'mov' },
  webm: { kind: 'video', mime: 'video/webm', extension: 'webm' },
  m4a: { kind: 'audio', mime: 'audio/mp4', extension: 'm4a' },
  mp3: { kind: 'audio', mime: 'audio/mpeg', extension: 'mp3' },
  wav: { kind: 'audio', mime: 'audio/wav', extension: 'wav' },
  ogg: { kind: 'audio', mime: 'audio/ogg', extension: 'ogg' },
} as const satisfies Record<string, MediaType>;

/** Facts from a video's own header; missing or implausible ones are left out. */
export interface VideoFacts {
  /** As displayed, after rotation. */
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
}

/** How a result was made, in IPTC's terms: from a prompt alone, or also from reference images. */
export const sourceTypes = ['trainedAlgorithmicMedia', 'compositeWithTrainedAlgorithmicMedia'] as const;
export type SourceType = (typeof sourceTypes)[number];
