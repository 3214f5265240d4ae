/** Resources whose objects are kept in another form than the one that shows them: of another group or version. */
import type { Draft } from '../../api/objects/objects.js';
import { versionForm } from '../../api/kinds/version-forms.js';
import { keptEventSelector } from './event-selector.js';
import { shownRevision } from './revision-form.js';

/** The form in which such a resource shows what is kept. */
export interface OtherForm {
  /** An object as its clients see it. */
  shown(object: object): object;
  /** What a client wrote, as it is kept. */
  kept(draft: object): Draft;
  /** The group in which they are kept, where it is another one. */
  readonly keptGroup?: string;
  /** A field selector, by the names of fields that are kept. */
  keptSelector?(fieldSelector: string): string;
}

/** What a form has beside how its objects look. */
const TRAITS: Readonly<Record<string, Pick<OtherForm, 'keptGroup' | 'keptSelector'>>> = {
  'events.k8s.io/v1/Event': { keptGroup: '', keptSelector: keptEventSelector },
};
const REVISION: OtherForm = { shown: shownRevision, kept: (draft) => draft as Draft };

/** What has a form by its names, or one of its own. */
interface Formed extends Readonly<Record<'group' | 'version' | 'kind', string>> {
  readonly form?: OtherForm;
}

/** The form of a resource; undefined where objects are shown as they are kept. */
export function otherForm({ group, version, kind, form }: Formed): OtherForm | undefined {
  if (form !== undefined) return form;
  if (kind === 'ControllerRevision' && group === 'apps') return REVISION;
  const shown = versionForm(kind, group, version);
  return shown && { ...shown, ...TRAITS[`${group}/${version}/${kind}`] };
}
