"""One wheel and one soil: what the soil's numbers say (`jounce soil`), and a wheel driven through it (`jounce soilbin`)."""
