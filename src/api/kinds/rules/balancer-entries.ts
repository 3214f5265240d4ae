/** Entries of a balancer's status, as services and ingresses have them (pkg/apis/core/validation, v1.34). */
import { isIP } from 'node:net';
import { invalid, invalidEach } from '../../errors/field-errors.js';
import { dns1123Subdomain } from '../../values/names.js';
import type { FieldError } from '../../objects/resource-kind.js';
import { validateAddressForm } from './address-validation.js';

interface Entry {
  readonly ip?: string;
  readonly hostname?: string;
}

/** @param own - the entry's own field */
export function validateEntryAddress({ ip = '' }: Entry, own: string): readonly FieldError[] {
  return ip === '' ? [] : validateAddressForm(ip, `${own}.ip`);
}

/** @param own - the entry's own field */
export function validateEntryName({ hostname = '' }: Entry, own: string): readonly FieldError[] {
  if (hostname === '') return [];
  const field = `${own}.hostname`;
  return [
    ...invalidEach(field, hostname, dns1123Subdomain(hostname)),
    ...(isIP(hostname) === 0 ? [] : [invalid(field, hostname, 'must be a DNS name, not an IP address')]),
  ];
}
