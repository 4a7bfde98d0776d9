/**
 * Fake values by the names that request files use for them: `name.firstName`, `address.city`.
 *
 * Rules: a table from name to generator. The names are those of the Java library that the format is based on; the
 * values come from the JavaScript library, or from fake-words.ts if that library lacks them.
 */
import { createHash } from 'node:crypto'
import type { Faker } from '@faker-js/faker'
import type { DynamicArgument } from './dynamic-call.ts'
import * as words from './fake-words.ts'

/** How a value is generated. @internal */
export interface Fake {
  readonly make: (faker: Faker, args: readonly DynamicArgument[]) => string | number | boolean
  /** The maximum number of arguments. */
  readonly arguments: number
}

type Make = Fake['make']

/** No number has more digits that count, and the library refuses hundreds. */
const MAX_DECIMALS = 15

const plain = (makes: Readonly<Record<string, Make>>): Readonly<Record<string, Fake>> =>
  Object.fromEntries(Object.entries(makes).map(([name, make]) => [name, { make, arguments: 0 }]))

const word =
  (list: readonly string[]): Make =>
  (faker) =>
    faker.helpers.arrayElement(list)

const whole = (value: DynamicArgument | undefined, otherwise: number): number =>
  value === undefined ? otherwise : Math.trunc(Number(value)) || 0

const digits = (faker: Faker, pattern: string): string => faker.helpers.replaceSymbols(pattern)

const hash =
  (algorithm: string): Make =>
  (faker) =>
    createHash(algorithm).update(faker.string.uuid()).digest('hex')

const fullName: Make = (faker) => faker.person.fullName()
const cityName: Make = (faker) => faker.location.city()
const stateName: Make = (faker) => faker.location.state()
const university: Make = (faker) =>
  `${word(words.universityPrefixes)(faker, [])} ${faker.location.city()} ${word(words.universitySuffixes)(faker, [])}`

/** A number with a check digit: the sum of all digits, weighted 1 and 3 alternately, is a multiple of ten. */
function withCheckDigit(code: string): string {
  const sum = [...code].reverse().reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0)
  return `${code}${(10 - (sum % 10)) % 10}`
}

/** By name. @internal */
export const fakes: Readonly<Record<string, Fake>> = {
  ...plain({
    'address.buildingNumber': (faker) => faker.location.buildingNumber(),
    'address.city': cityName,
    'address.cityName': cityName,
    'address.cityPrefix': (faker) =>
      faker.helpers.arrayElement(['East', 'Lake', 'New', 'North', 'Port', 'South', 'West']),
    'address.citySuffix': (faker) =>
      faker.helpers.arrayElement(['berg', 'burgh', 'bury', 'field', 'port', 'side', 'ton']),
    'address.country': (faker) => faker.location.country(),
    'address.countryCode': (faker) => faker.location.countryCode(),
    'address.firstName': (faker) => faker.person.firstName(),
    'address.fullAddress': (faker) =>
      `${faker.location.streetAddress(true)}, ${faker.location.city()}, ${faker.location.zipCode()}`,
    'address.lastName': (faker) => faker.person.lastName(),
    'address.latitude': (faker) => faker.location.latitude(),
    'address.longitude': (faker) => faker.location.longitude(),
    'address.secondaryAddress': (faker) => faker.location.secondaryAddress(),
    'address.state': stateName,
    'address.stateAbbr': (faker) => faker.location.state({ abbreviated: true }),
    'address.streetAddress': (faker) => faker.location.streetAddress(),
    'address.streetAddressNumber': (faker) => faker.location.buildingNumber(),
    'address.streetName': (faker) => faker.location.street(),
    'address.streetPrefix': (faker) => faker.helpers.arrayElement(['a', 'b', 'c', 'd']),
    'address.streetSuffix': (faker) =>
      faker.helpers.arrayElement(['Avenue', 'Lane', 'Road', 'Square', 'Street', 'Way']),
    'address.timeZone': (faker) => faker.location.timeZone(),
    'address.zipCode': (faker) => faker.location.zipCode(),
    'ancient.god': (faker) => faker.helpers.arrayElement(['Apollo', 'Athena', 'Demeter', 'Hera', 'Poseidon', 'Zeus']),
    'app.author': fullName,
    'app.name': (faker) => faker.commerce.productName(),
    'app.version': (faker) => faker.system.semver(),
    'artist.name': (faker) => faker.music.artist(),
    'avatar.image': (faker) => faker.image.avatar(),
    'aviation.aircraft': (faker) => faker.airline.airplane().name,
    'aviation.airport': (faker) => faker.airline.airport().iataCode,
    'beer.hop': word(words.beerHops),
    'beer.malt': word(words.beerMalts),
    'beer.name': word(words.beerNames),
    'beer.style': word(words.beerStyles),
    'beer.yeast': word(words.beerYeasts),
    'book.author': (faker) => faker.book.author(),
    'book.genre': (faker) => faker.book.genre(),
    'book.publisher': (faker) => faker.book.publisher(),
    'book.title': (faker) => faker.book.title(),
    'bool.bool': (faker) => faker.datatype.boolean(),
    'business.creditCardExpiry': word(words.cardExpiries),
    'business.creditCardNumber': (faker) => faker.finance.creditCardNumber('####-####-####-###L'),
    'business.creditCardType': (faker) => faker.finance.creditCardIssuer(),
    'cat.breed': (faker) => faker.animal.cat(),
    'cat.name': (faker) => faker.animal.petName(),
    'ChuckNorris.fact': word(words.chuckNorrisFacts),
    'code.asin': (faker) => `B0${faker.string.alphanumeric({ length: 8, casing: 'upper' })}`,
    'code.ean13': (faker) => withCheckDigit(faker.string.numeric(12)),
    'code.ean8': (faker) => withCheckDigit(faker.string.numeric(7)),
    'code.gtin13': (faker) => withCheckDigit(faker.string.numeric(12)),
    'code.gtin8': (faker) => withCheckDigit(faker.string.numeric(7)),
    'code.imei': (faker) => faker.phone.imei().replaceAll('-', ''),
    'code.isbn10': (faker) => faker.commerce.isbn({ variant: 10, separator: '' }),
    'code.isbn13': (faker) => faker.commerce.isbn({ variant: 13, separator: '' }),
    'code.isbnGroup': (faker) => faker.string.numeric(1),
    'code.isbnGs1': (faker) => faker.helpers.arrayElement(['978', '979']),
    'code.isbnRegistrant': (faker) => `${faker.string.numeric(4)}-${faker.string.numeric(4)}`,
    'color.hex': (faker) => faker.color.rgb(),
    'color.name': (faker) => faker.color.human(),
    'commerce.color': (faker) => faker.color.human(),
    'commerce.department': (faker) => faker.commerce.department(),
    'commerce.material': (faker) => faker.commerce.productMaterial(),
    'commerce.price': (faker) => faker.commerce.price(),
    'commerce.productName': (faker) => faker.commerce.productName(),
    'commerce.promotionCode': (faker) => `${faker.commerce.productAdjective()}Deal${faker.string.numeric(6)}`,
    'company.bs': (faker) => faker.company.buzzPhrase(),
    'company.buzzword': (faker) => faker.company.buzzNoun(),
    'company.catchPhrase': (faker) => faker.company.catchPhrase(),
    'company.industry': word(words.industries),
    'company.logo': (faker) => faker.image.url({ width: 300, height: 100 }),
    'company.name': (faker) => faker.company.name(),
    'company.profession': word(words.professions),
    'company.suffix': word(words.companySuffixes),
    'company.url': (faker) => `www.${faker.internet.domainName()}`,
    'crypto.md5': hash('md5'),
    'crypto.sha1': hash('sha1'),
    'crypto.sha256': hash('sha256'),
    'crypto.sha512': hash('sha512'),
    'currency.code': (faker) => faker.finance.currencyCode(),
    'currency.name': (faker) => faker.finance.currencyName(),
    'date.birthday': (faker) => faker.date.birthdate().toISOString(),
    'date.future': (faker) => faker.date.future().toISOString(),
    'date.past': (faker) => faker.date.past().toISOString(),
    'demographic.sex': (faker) => faker.person.sex(),
    'dog.breed': (faker) => faker.animal.dog(),
    'dog.name': (faker) => faker.animal.petName(),
    'educator.campus': word(words.campuses),
    'educator.course': (faker) => `${word(words.degrees)(faker, [])} ${word(words.courses)(faker, [])}`,
    'educator.secondarySchool': (faker) => `${faker.location.city()} Secondary College`,
    'educator.university': university,
    'file.extension': (faker) => faker.system.fileExt(),
    'file.fileName': (faker) => faker.system.filePath().slice(1),
    'file.mimeType': (faker) => faker.system.mimeType(),
    'finance.bic': (faker) => faker.finance.bic(),
    'finance.creditCard': (faker) => faker.finance.creditCardNumber('####-####-####-###L'),
    'finance.iban': (faker) => faker.finance.iban(),
    'food.dish': (faker) => faker.food.dish(),
    'food.fruit': (faker) => faker.food.fruit(),
    'food.ingredient': (faker) => faker.food.ingredient(),
    'food.spice': (faker) => faker.food.spice(),
    'food.vegetable': (faker) => faker.food.vegetable(),
    'hacker.abbreviation': (faker) => faker.hacker.abbreviation(),
    'hacker.adjective': (faker) => faker.hacker.adjective(),
    'hacker.ingverb': (faker) => faker.hacker.ingverb(),
    'hacker.noun': (faker) => faker.hacker.noun(),
    'hacker.verb': (faker) => faker.hacker.verb(),
    'idNumber.invalid': (faker) => digits(faker, '000-##-####'),
    'idNumber.ssnValid': (faker) => digits(faker, `${faker.number.int({ min: 100, max: 665 })}-1#-1###`),
    'idNumber.valid': (faker) => digits(faker, `${faker.number.int({ min: 100, max: 665 })}-1#-1###`),
    'internet.avatar': (faker) => faker.image.avatar(),
    'internet.domainName': (faker) => faker.internet.domainName(),
    'internet.domainSuffix': (faker) => faker.internet.domainSuffix(),
    'internet.domainWord': (faker) => faker.internet.domainWord(),
    'internet.emailAddress': (faker) => faker.internet.email(),
    'internet.image': (faker) => faker.image.url(),
    'internet.ipV4Address': (faker) => faker.internet.ipv4(),
    'internet.ipV4Cidr': (faker) => `${faker.internet.ipv4()}/${faker.number.int({ min: 1, max: 31 })}`,
    'internet.ipV6Address': (faker) => faker.internet.ipv6(),
    'internet.ipV6Cidr': (faker) => `${faker.internet.ipv6()}/${faker.number.int({ min: 1, max: 127 })}`,
    'internet.macAddress': (faker) => faker.internet.mac(),
    'internet.privateIpV4Address': (faker) => faker.internet.ipv4({ network: 'private-a' }),
    'internet.publicIpV4Address': (faker) => faker.internet.ipv4({ network: 'any' }),
    'internet.safeEmailAddress': (faker) => faker.internet.exampleEmail(),
    'internet.slug': (faker) => faker.lorem.slug(),
    'internet.url': (faker) => `www.${faker.internet.domainName()}`,
    'internet.userAgentAny': (faker) => faker.internet.userAgent(),
    'internet.uuid': (faker) => faker.string.uuid(),
    'job.field': (faker) => faker.person.jobArea(),
    'job.position': (faker) => faker.person.jobType(),
    'job.seniority': (faker) => faker.person.jobDescriptor(),
    'job.title': (faker) => faker.person.jobTitle(),
    'lorem.character': (faker) => faker.string.alpha({ length: 1, casing: 'lower' }),
    'lorem.paragraph': (faker) => faker.lorem.paragraph(),
    'lorem.word': (faker) => faker.lorem.word(),
    'music.genre': (faker) => faker.music.genre(),
    'name.bloodGroup': word(words.bloodGroups),
    'name.firstName': (faker) => faker.person.firstName(),
    'name.fullName': fullName,
    'name.lastName': (faker) => faker.person.lastName(),
    'name.name': fullName,
    'name.nameWithMiddle': (faker) =>
      `${faker.person.firstName()} ${faker.person.middleName()} ${faker.person.lastName()}`,
    'name.prefix': (faker) => faker.person.prefix(),
    'name.suffix': (faker) => faker.person.suffix(),
    'name.title': (faker) => faker.person.jobTitle(),
    'name.username': (faker) => faker.internet.username().toLowerCase(),
    'number.digit': (faker) => faker.string.numeric(1),
    'number.randomDigit': (faker) => faker.number.int({ min: 0, max: 9 }),
    'number.randomDigitNotZero': (faker) => faker.number.int({ min: 1, max: 9 }),
    'phoneNumber.cellPhone': (faker) => faker.phone.number(),
    'phoneNumber.extension': (faker) => faker.string.numeric(4),
    'phoneNumber.phoneNumber': (faker) => faker.phone.number(),
    'phoneNumber.subscriberNumber': (faker) => faker.string.numeric(4),
    'shakespeare.asYouLikeItQuote': word(words.asYouLikeItQuotes),
    'shakespeare.hamletQuote': word(words.hamletQuotes),
    'shakespeare.kingRichardIIIQuote': word(words.kingRichardQuotes),
    'shakespeare.romeoAndJulietQuote': word(words.romeoAndJulietQuotes),
    'superhero.descriptor': word(words.heroDescriptors),
    'superhero.name': (faker) => `${word(words.heroPrefixes)(faker, [])} ${word(words.heroDescriptors)(faker, [])}`,
    'superhero.power': word(words.heroPowers),
    'superhero.prefix': word(words.heroPrefixes),
    'superhero.suffix': word(words.heroSuffixes),
    'team.creature': word(words.teamCreatures),
    'team.name': (faker) => `${faker.location.state()} ${word(words.teamCreatures)(faker, [])}`,
    'team.sport': word(words.teamSports),
    'team.state': stateName,
    'university.name': university,
    'university.prefix': word(words.universityPrefixes),
    'university.suffix': word(words.universitySuffixes),
  }),
  'internet.password': {
    arguments: 2,
    make: (faker, [least, most]) => {
      const min = whole(least, 8)
      const max = whole(most, Math.max(min, 16))
      return faker.internet.password({ length: faker.number.int({ min: Math.min(min, max), max: Math.max(min, max) }) })
    },
  },
  'lorem.characters': {
    arguments: 1,
    make: (faker, [count]) => faker.string.alphanumeric({ length: whole(count, 255), casing: 'lower' }),
  },
  'lorem.fixedString': {
    arguments: 1,
    make: (faker, [count]) => {
      const size = whole(count, 10)
      return faker.lorem.words(Math.max(1, size)).slice(0, size)
    },
  },
  'lorem.paragraphs': { arguments: 1, make: (faker, [count]) => faker.lorem.paragraphs(whole(count, 3)) },
  'lorem.sentence': { arguments: 1, make: (faker, [count]) => faker.lorem.sentence(whole(count, 6)) },
  'lorem.sentences': { arguments: 1, make: (faker, [count]) => faker.lorem.sentences(whole(count, 3)) },
  'lorem.words': { arguments: 1, make: (faker, [count]) => faker.lorem.words(whole(count, 3)) },
  'number.digits': { arguments: 1, make: (faker, [count]) => faker.string.numeric(whole(count, 5)) },
  'number.numberBetween': {
    arguments: 2,
    make: (faker, [from, to]) => {
      const min = whole(from, 0)
      return faker.number.int({ min, max: Math.max(min, whole(to, min + 1001) - 1) })
    },
  },
  'number.randomDouble': {
    arguments: 3,
    make: (faker, [decimals, from, to]) => {
      const min = whole(from, 0)
      const fractionDigits = Math.min(MAX_DECIMALS, whole(decimals, 2))
      return faker.number.float({ fractionDigits, min, max: Math.max(min, whole(to, min + 1000)) })
    },
  },
  'number.randomNumber': {
    arguments: 1,
    make: (faker, [count]) =>
      Number(faker.string.numeric({ length: Math.min(15, whole(count, 9)), allowLeadingZeros: false })),
  },
}
