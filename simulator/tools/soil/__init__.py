"""One wheel and one soil: parameters of the soil (`jounce soil`), and a wheel driven over the soil (`jounce soilbin`)."""
