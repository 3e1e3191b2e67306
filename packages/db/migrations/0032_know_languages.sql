-- Languages, as tags. Null wherever no one chose: the installation's own (`brand.language`).

-- In which a person reads the console and their mails.
alter table users add column language text check (language in ('en', 'de'));

-- In which the invoices of a tenant are issued. An issued one keeps its language, within `invoices.customer`.
alter table billing_details add column language text check (language in ('en', 'de'));

-- In which a mail is sent. Its subject and content are stored in English, as all that the server says.
alter table mails add column language text check (language in ('en', 'de'));
