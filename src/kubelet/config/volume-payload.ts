/**
 * Whether a volume that is filled from config maps and secrets can be set up. Pure. Mirrors SetUpAt and MakePayload
 * of the volume plugins configmap, secret and projected (v1.34 pkg/volume).
 */
import type { ConfigMap, Secret } from '../../api/objects/config-objects.js';
import type { core } from '../../api/objects/objects.js';
import type { ReadConfig } from './config-cache.js';
import type { ConfigKind } from '../../api/pods/config-references.js';

/** Whether a volume has such a source. */
export function isConfigVolume({ configMap, secret, projected }: core.Volume): boolean {
  return configMap !== undefined || secret !== undefined || projected !== undefined;
}

/** Why a volume cannot be set up, in upstream's words; `undefined` = it can. */
export function setUpProblem({ configMap, secret, projected }: core.Volume, read: ReadConfig): string | undefined {
  if (configMap !== undefined) return payloadProblem('ConfigMap', configMap, read);
  if (secret !== undefined) return payloadProblem('Secret', { ...secret, name: secret.secretName }, read);
  const problems = new Set<string>();
  for (const source of projected?.sources ?? []) {
    const problem =
      (source.secret && payloadProblem('Secret', source.secret, read)) ??
      (source.configMap && payloadProblem('ConfigMap', source.configMap, read));
    if (problem !== undefined) problems.add(problem);
  }
  return aggregate([...problems]);
}

/** What the three kinds of sources have in common. */
interface Source {
  readonly name?: string | undefined;
  readonly items?: readonly core.KeyToPath[];
  readonly optional?: boolean;
}

function payloadProblem(
  kind: ConfigKind,
  { name = '', items = [], optional }: Source,
  read: ReadConfig,
): string | undefined {
  const reading = read(kind, name);
  if ('problem' in reading) {
    const { text, isMissing } = reading.problem;
    return isMissing && optional === true ? undefined : text;
  }
  if (optional === true) return undefined;
  const missing = items.find(({ key }) => !hasKey(reading.object, key));
  if (missing === undefined) return undefined;
  return kind === 'ConfigMap'
    ? `configmap references non-existent config key: ${missing.key}`
    : `references non-existent secret key: ${missing.key}`;
}

function hasKey(object: ConfigMap | Secret, key: string): boolean {
  const { data = {} } = object;
  if (Object.hasOwn(data, key)) return true;
  return 'binaryData' in object && Object.hasOwn(object.binaryData ?? {}, key);
}

/** As Go prints several errors. */
function aggregate(problems: readonly string[]): string | undefined {
  return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0];
}
