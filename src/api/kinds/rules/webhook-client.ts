/** Where a webhook is said to be (apiserver's pkg/util/webhook/validation.go, v1.34). */
import type * as admission from 'kubernetes-types/admissionregistration/v1.js';
import { invalid, invalidEach, required } from '../../errors/field-errors.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { dns1123Subdomain } from '../../values/names.js';
import { validPort } from './number-validation.js';

const URL_FORM = '; desired format: https://host[/path]';

/** What is wrong with where a webhook is said to be. */
export function validateClient({ url, service }: admission.WebhookClientConfig, field: string): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(field, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return validateUrl(url, `${field}.url`);
  const { name = '', namespace = '', path = '', port = 0 } = service as Partial<admission.ServiceReference>;
  const own = `${field}.service`;
  // Upstream takes the one for the other, and tells that the name is missing where the namespace is.
  return [
    ...(namespace === '' ? [required(`${own}.name`)] : []),
    ...(name === '' ? [required(`${own}.namespace`)] : []),
    ...validPort(port, `${own}.port`).map((error) => ({
      ...error,
      detail: error.detail.replace(': must', ': port is not valid: must'),
    })),
    ...validatePath(path, `${own}.path`),
  ];
}

function validateUrl(text: string, field: string): FieldError[] {
  const [, scheme = '', rest = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(.*)$/s.exec(text) ?? [];
  const [, authority = ''] = /^\/\/([^/?#]*)/.exec(rest) ?? [];
  const at = authority.lastIndexOf('@');
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(rest) ?? [];
  const [, fragment = ''] = /#(.*)$/s.exec(rest) ?? [];
  const refused = (isWrong: boolean, value: string, why: string): FieldError[] =>
    isWrong ? [invalid(field, value, why)] : [];
  const host = authority.slice(at + 1);
  return [
    ...refused(scheme !== 'https', scheme, `'https' is the only allowed URL scheme${URL_FORM}`),
    ...refused(host === '', '', `host must be specified${URL_FORM}`),
    ...refused(at !== -1, authority.slice(0, Math.max(at, 0)), 'user information is not permitted in the URL'),
    ...refused(fragment !== '', fragment, 'fragments are not permitted in the URL'),
    ...refused(query !== '', query, 'query parameters are not permitted in the URL'),
  ];
}

function validatePath(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalid(field, path, 'segment[0] may not be empty')];
  const errors = path.startsWith('/') ? [] : [invalid(field, path, "must start with a '/'")];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...errors,
    ...steps.flatMap((step, index) =>
      step === ''
        ? [invalid(field, path, `segment[${index}] may not be empty`)]
        : invalidEach(field, path, dns1123Subdomain(step)).map((error) => ({
            ...error,
            detail: error.detail.replace(': a low', `: segment[${index}]: a low`),
          })),
    ),
  ];
}
