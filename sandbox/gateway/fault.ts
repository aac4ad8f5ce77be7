import { z } from 'zod';
import { callbackFaults } from './callback-fault.ts';
import { jobKinds } from './job.ts';
import { type RealtimeFault, realtimeFault } from './realtime/fault.ts';
import { type TextFault, textFault } from './text/fault.ts';

/** Faults that replace the handler, so the request has no effect. */
const replacingFaults = [
  z.strictObject({
    type: z.literal('status'),
    status: z.union([z.literal(200), z.int().min(400).max(599)]),
    as: z.enum(['json', 'html', 'empty']).optional(),
    code: z.string().optional(),
    message: z.string().optional(),
    /** Seconds for the `Retry-After` header, which `retryAfterDate` turns into a date. */
    retryAfter: z.int().min(0).optional(),
    retryAfterDate: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal('empty') }),
  z.strictObject({ type: z.literal('hang') }),
  z.strictObject({ type: z.literal('reset') }),
  z.strictObject({ type: z.literal('error-in-200'), as: z.enum(['error', 'success-false']).optional() }),
  z.strictObject({ type: z.literal('redirect'), to: z.string().min(1), status: z.int().min(300).max(399).optional() }),
  z.strictObject({ type: z.literal('body'), body: z.json(), status: z.int().min(200).max(599).optional() }),
] as const;

/** Faults that alter the real response, so a submit is accepted. */
const alteringFaults = [
  /** `half`: a complete HTTP response with half the JSON; `lying`: fewer bytes than `Content-Length`; `cut`: the connection is dropped midway. */
  z.strictObject({ type: z.literal('truncated'), how: z.enum(['half', 'lying', 'cut']).optional() }),
  z.strictObject({
    type: z.literal('drip'),
    bytes: z.int().min(1).optional(),
    everyMs: z.number().min(0).optional(),
  }),
] as const;

const jobFaults = [
  z.strictObject({ type: z.literal('stick') }),
  z.strictObject({ type: z.literal('fail'), reason: z.string().min(1).optional() }),
  z.strictObject({ type: z.literal('slow'), times: z.number().positive().max(1_000) }),
  z.strictObject({ type: z.literal('lose-files') }),
  z.strictObject({ type: z.literal('huge-file'), megabytes: z.number().positive().max(512).optional() }),
  z.strictObject({ type: z.literal('no-media') }),
  z.strictObject({ type: z.literal('imposter'), as: z.enum(['html', 'executable']).optional() }),
  z.strictObject({ type: z.literal('no-buttons') }),
  z.strictObject({ type: z.literal('callbacks'), how: z.enum(callbackFaults) }),
] as const;

const responseFaultSchema = z.discriminatedUnion('type', [...replacingFaults, ...alteringFaults]);
const acceptedThenSchema = z.strictObject({ type: z.literal('accepted-then'), spoilt: responseFaultSchema });
const jobFaultSchema = z.discriminatedUnion('type', jobFaults);

export const faultSchema = z.discriminatedUnion('type', [
  ...replacingFaults,
  ...alteringFaults,
  acceptedThenSchema,
  ...jobFaults,
  textFault,
  realtimeFault,
]);

export type PlainFault = z.infer<typeof responseFaultSchema>;
export type ResponseFault = PlainFault | z.infer<typeof acceptedThenSchema>;
export type JobFault = z.infer<typeof jobFaultSchema>;
export type Fault = ResponseFault | JobFault | TextFault | RealtimeFault;

const jobFaultTypes: ReadonlySet<string> = new Set(jobFaults.map((schema) => schema.shape.type.value));
export const isJobFault = (fault: Fault): fault is JobFault => jobFaultTypes.has(fault.type);
export const isTextFault = (fault: Fault): fault is TextFault => fault.type === 'text';
export const isRealtimeFault = (fault: Fault): fault is RealtimeFault => fault.type === 'realtime';

export interface FaultTarget {
  readonly method?: string;
  /** A path prefix or a pattern. */
  readonly path?: string | RegExp;
  /** The kind of job that a submit creates (`job.ts`); `any` for every submit. */
  readonly kind?: string;
}

export const targetSchema = z.strictObject({
  method: z
    .string()
    .regex(/^[A-Za-z]+$/)
    .optional(),
  path: z.string().startsWith('/').optional(),
  kind: z.enum([...jobKinds, 'action', 'change', 'modal', 'text', 'realtime', 'any']).optional(),
});
