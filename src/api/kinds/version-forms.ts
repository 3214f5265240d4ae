/**
 * Kinds that clients are shown in more versions, or groups, than the one in which they are kept: what their objects
 * look like there. Pure.
 */
import { keptEvent, shownEvent } from '../objects/event-form.js';
import type { Draft } from '../objects/objects.js';
import { keptAutoscaler, shownAutoscaler } from './plain/autoscaler-form.js';

const ADMISSION = 'admissionregistration.k8s.io';

/** A version in which a kind is shown, and not kept. */
export interface VersionForm extends Readonly<Record<'kind' | 'group' | 'version', string>> {
  /** An object as its clients see it. */
  readonly shown: (object: object) => object;
  /** What a client wrote, as it is kept. */
  readonly kept: (draft: object) => Draft;
}

/** Policies that change objects look the same in their older version. */
export const MUTATING_POLICY_FORMS = (['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'] as const).map(
  (kind) => ({
    kind,
    group: ADMISSION,
    version: 'v1alpha1',
    shown: (object: object) => ({ ...object, apiVersion: `${ADMISSION}/v1alpha1` }),
    kept: (draft: object): Draft => ({ ...draft, apiVersion: `${ADMISSION}/v1beta1` }),
  }),
);

const FORMS: readonly VersionForm[] = [
  ...MUTATING_POLICY_FORMS,
  { kind: 'Event', group: 'events.k8s.io', version: 'v1', shown: shownEvent, kept: keptEvent },
  {
    kind: 'HorizontalPodAutoscaler',
    group: 'autoscaling',
    version: 'v1',
    shown: shownAutoscaler,
    kept: keptAutoscaler,
  },
];

/** Those of a kind. */
export function otherForms(kind: string): readonly VersionForm[] {
  return FORMS.filter((form) => form.kind === kind);
}

/** `undefined` = objects are shown as they are kept, or there is no such version. */
export function versionForm(kind: string, group: string, version: string): VersionForm | undefined {
  return FORMS.find((form) => form.kind === kind && form.group === group && form.version === version);
}
