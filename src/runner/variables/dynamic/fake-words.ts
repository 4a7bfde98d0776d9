/**
 * Words for the fake values that the library has no list for.
 *
 * Rules: English only, regardless of the locale; a handful of each is enough for test data.
 */
export const beerNames: readonly string[] = [
  'Amber Harbour',
  'Black Kettle',
  'Copper Fox',
  'Foggy Meadow',
  'Golden Mill',
  'North Pier',
  'Red Lantern',
]
export const beerStyles: readonly string[] = [
  'Amber Ale',
  'Bock',
  'Dunkel',
  'India Pale Ale',
  'Pilsner',
  'Porter',
  'Saison',
  'Stout',
  'Wheat Beer',
]
export const beerHops: readonly string[] = [
  'Amarillo',
  'Cascade',
  'Centennial',
  'Citra',
  'Hallertau',
  'Mosaic',
  'Saaz',
  'Simcoe',
  'Tettnang',
]
export const beerYeasts: readonly string[] = [
  'American Ale',
  'Belgian Abbey',
  'Bohemian Lager',
  'English Ale',
  'German Wheat',
  'Kölsch',
]
export const beerMalts: readonly string[] = [
  'Caramel',
  'Chocolate',
  'Munich',
  'Pale',
  'Roasted Barley',
  'Rye',
  'Smoked',
  'Vienna',
]
export const chuckNorrisFacts: readonly string[] = [
  'Chuck Norris never waits for a lock: locks wait for Chuck Norris.',
  'Chuck Norris compiles his code by looking at it.',
  'Every request that Chuck Norris sends is answered before it is sent.',
  'Chuck Norris counts from infinity down to zero.',
  'The cache asks Chuck Norris whether it is still valid.',
]
export const industries: readonly string[] = [
  'Agriculture',
  'Banking',
  'Biotechnology',
  'Construction',
  'Education',
  'Logistics',
  'Mining',
  'Retail',
]
export const professions: readonly string[] = [
  'accountant',
  'baker',
  'carpenter',
  'engineer',
  'gardener',
  'nurse',
  'pilot',
  'teacher',
  'translator',
]
export const companySuffixes: readonly string[] = ['and Sons', 'Group', 'Inc', 'LLC', 'Ltd', 'PLC']
export const courses: readonly string[] = [
  'Biology',
  'Chemistry',
  'Economics',
  'History',
  'Law',
  'Literature',
  'Mathematics',
  'Philosophy',
  'Physics',
]
export const degrees: readonly string[] = ['Associate Degree in', 'Bachelor of', 'Master of']
export const campuses: readonly string[] = [
  'Central Campus',
  'East Campus',
  'Lakeside Campus',
  'North Campus',
  'Old Town Campus',
]
export const hamletQuotes: readonly string[] = [
  'To be, or not to be: that is the question.',
  'Brevity is the soul of wit.',
  'The rest is silence.',
]
export const asYouLikeItQuotes: readonly string[] = [
  "All the world's a stage.",
  'Can one desire too much of a good thing?',
  'Do you not know I am a woman?',
]
export const kingRichardQuotes: readonly string[] = [
  'Now is the winter of our discontent.',
  'A horse! a horse! my kingdom for a horse!',
]
export const romeoAndJulietQuotes: readonly string[] = [
  'Parting is such sweet sorrow.',
  "What's in a name?",
  'These violent delights have violent ends.',
]
export const heroPrefixes: readonly string[] = [
  'Amazing',
  'Captain',
  'Cosmic',
  'Doctor',
  'Lady',
  'Mighty',
  'Night',
  'Silent',
  'Ultra',
]
export const heroDescriptors: readonly string[] = [
  'Badger',
  'Comet',
  'Falcon',
  'Lightning',
  'Magnet',
  'Phantom',
  'Shadow',
  'Storm',
  'Wolf',
]
export const heroSuffixes: readonly string[] = ['I', 'II', 'Boy', 'Girl', 'Man', 'Woman', 'the Bold', 'the Swift']
export const heroPowers: readonly string[] = [
  'Flight',
  'Foresight',
  'Healing',
  'Invisibility',
  'Levitation',
  'Speed',
  'Strength',
  'Telepathy',
]
export const teamCreatures: readonly string[] = [
  'bears',
  'dragons',
  'eagles',
  'foxes',
  'hawks',
  'lynxes',
  'otters',
  'ravens',
  'sharks',
  'wolves',
]
export const teamSports: readonly string[] = [
  'athletics',
  'baseball',
  'basketball',
  'football',
  'handball',
  'hockey',
  'rowing',
  'rugby',
  'volleyball',
]
export const universityPrefixes: readonly string[] = ['East', 'North', 'Northern', 'South', 'The', 'Western']
export const universitySuffixes: readonly string[] = ['Academy', 'College', 'Institute', 'University']
export const bloodGroups: readonly string[] = ['0+', '0-', 'A+', 'A-', 'AB+', 'AB-', 'B+', 'B-']
export const cardExpiries: readonly string[] = [
  '2027-03-31',
  '2027-09-30',
  '2028-01-31',
  '2028-06-30',
  '2029-11-30',
  '2030-04-30',
]
