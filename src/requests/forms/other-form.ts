/** Resources whose objects are kept in another form than the one that shows them: of another group or version. */
import { keptEvent, shownEvent } from '../../api/objects/event-form.js';
import type { Draft } from '../../api/objects/objects.js';
import { keptAutoscaler, shownAutoscaler } from '../../api/kinds/plain/autoscaler-form.js';
import { keptEventSelector } from './event-selector.js';
import { shownRevision } from './revision-form.js';

/** The form in which such a resource shows what is kept. */
export interface OtherForm {
  /** An object as its clients see it. */
  shown(object: object): object;
  /** What a client wrote, as it is kept; what the form cannot say stays as it is in `previous`. */
  kept(draft: object, previous?: object): Draft;
  /** The group in which they are kept, where it is another one. */
  readonly keptGroup?: string;
  /** A field selector, by the names of fields that are kept. */
  keptSelector?(fieldSelector: string): string;
}

const FORMS: Readonly<Record<string, OtherForm>> = {
  'events.k8s.io/v1/Event': { shown: shownEvent, kept: keptEvent, keptGroup: '', keptSelector: keptEventSelector },
  'apps/v1/ControllerRevision': { shown: shownRevision, kept: (draft) => draft as Draft },
  'autoscaling/v1/HorizontalPodAutoscaler': { shown: shownAutoscaler, kept: keptAutoscaler },
};

/** What has a form by its names, or one of its own. */
interface Formed extends Readonly<Record<'group' | 'version' | 'kind', string>> {
  readonly form?: OtherForm;
}

/** The form of a resource; undefined where objects are shown as they are kept. */
export function otherForm({ group, version, kind, form }: Formed): OtherForm | undefined {
  return form ?? FORMS[`${group}/${version}/${kind}`];
}
