/** What OpenAPI documents say of the paths of discovery, of the version and of the keys of accounts' tokens. */
import type { Served, ServedGroup } from '../served-resources.js';
import { JSON_TYPE, responses, WRITTEN_TYPES } from './operations.js';
import type { Form, Json, Schemas } from './schemas.js';
import { groupTitle, tagOf } from './titles.js';

interface Question {
  readonly tag: string;
  readonly operationId: string;
  readonly description: string;
  readonly schema: Json;
  /** What it is written as. @defaultValue what objects are */
  readonly types?: readonly string[];
  /** Whether it takes a form of its own. */
  readonly takesTypes?: boolean;
}

const KEYS = 'openid/v1/jwks';
const CONFIGURATION = '.well-known/openid-configuration';
const TEXT = { type: 'string' };

/** Those of a whole server. */
export function discoveryPaths(served: Served, schemas: Schemas, form: Form): Json {
  const paths: Record<string, unknown> = {};
  for (const place of [CONFIGURATION, 'api', 'apis', KEYS, 'version']) {
    Object.assign(paths, serverPath(place, schemas, form));
  }
  for (const { name, versions } of served.groups) {
    // What definitions have brought tells of its objects alone.
    if (versions.some(({ resources }) => resources.some(({ custom }) => custom !== undefined))) continue;
    if (name !== '') Object.assign(paths, groupPath({ name, versions }, schemas, form));
    const root = name === '' ? 'api' : `apis/${name}`;
    for (const { version } of versions) Object.assign(paths, resourcesPath(`${root}/${version}`, schemas, form));
  }
  return paths;
}

/** One path of the server itself; undefined if there is no such. @param place - without slashes around it */
export function serverPath(place: string, schemas: Schemas, form: Form): Json | undefined {
  const question = questionOf(place, schemas);
  return question === undefined ? undefined : pathOf(place, question, form);
}

function questionOf(place: string, schemas: Schemas): Question | undefined {
  switch (place) {
    case 'api':
      return {
        tag: 'core',
        operationId: 'getCoreAPIVersions',
        description: 'Tells the versions of the core group.',
        schema: schemas.reference('meta/v1.APIVersions'),
      };
    case 'apis':
      return {
        tag: 'apis',
        operationId: 'getAPIVersions',
        description: 'Tells all other groups.',
        schema: schemas.reference('meta/v1.APIGroupList'),
      };
    case 'version':
      return {
        tag: 'version',
        operationId: 'getCodeVersion',
        description: 'Tells what program the server is.',
        schema: schemas.ofMachinery('Version'),
        types: [JSON_TYPE],
        takesTypes: true,
      };
    case KEYS:
      return {
        tag: 'openid',
        operationId: 'getServiceAccountIssuerOpenIDKeyset',
        description: 'Tells the keys by which tokens of service accounts are checked.',
        schema: TEXT,
        types: ['application/jwk-set+json'],
      };
    case CONFIGURATION:
      return {
        tag: 'WellKnown',
        operationId: 'getServiceAccountIssuerOpenIDConfiguration',
        description: 'Tells who issues tokens of service accounts.',
        schema: TEXT,
        types: [JSON_TYPE],
      };
    default:
      return undefined;
  }
}

/** The path of a group. */
export function groupPath({ name }: ServedGroup, schemas: Schemas, form: Form): Json {
  return pathOf(
    `apis/${name}`,
    {
      tag: tagOf(name),
      operationId: `get${groupTitle(name)}APIGroup`,
      description: 'Tells the versions of the group.',
      schema: schemas.reference('meta/v1.APIGroup'),
    },
    form,
  );
}

/** The path of a group version. @param place - such as `apis/apps/v1` */
export function resourcesPath(place: string, schemas: Schemas, form: Form): Json {
  const [, ...names] = place.split('/');
  const [version = '', group = ''] = names.toReversed();
  return pathOf(
    place,
    {
      tag: tagOf(group, version),
      operationId: `get${groupTitle(group, version)}APIResources`,
      description: 'Tells the resources of the version.',
      schema: schemas.reference('meta/v1.APIResourceList'),
    },
    form,
  );
}

function pathOf(place: string, question: Question, form: Form): Json {
  const { tag, operationId, description, schema, types = WRITTEN_TYPES, takesTypes } = question;
  const read = types === WRITTEN_TYPES || takesTypes === true ? { consumes: types } : {};
  const operation = {
    description,
    ...(form === 'v2' ? { ...read, produces: types, schemes: ['https'] } : {}),
    tags: [tag],
    operationId,
    responses: responses([200], schema, types, form),
  };
  return { [`/${place}/`]: { get: operation } };
}
